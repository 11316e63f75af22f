import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPostgres, migrate } from '@tributary/postgres';
import {
  alternate,
  type Bench,
  buildApiKey,
  buildProfile,
  Killable,
  median,
  openDrillEngines,
} from '@tributary/testkit';
import { migrateJobs } from '@tributary/work';
import pg from 'pg';
import { Agent, request } from 'undici';
import { CpuMeter } from './cpu.ts';

const set = 'bench-partitions';
const inFlight = 24;
const inBulk = 1_000;
/** As in split-by-profile.sql. */
const parts = 16;
const existingCustomers = 1_000;

/** A way of sending payments: events per request, requests per round, number of shops, and whether customers exist already. */
interface Load {
  readonly events: number;
  readonly requests: number;
  readonly shops: number;
  readonly isExistingCustomer: boolean;
}
const loads: Readonly<Record<string, Load>> = {
  single: { events: 1, requests: 800, shops: 1, isExistingCustomer: false },
  profiles: { events: 1, requests: 800, shops: inFlight, isExistingCustomer: false },
  profiles_known: { events: 1, requests: 800, shops: inFlight, isExistingCustomer: true },
  bulk: { events: inBulk, requests: 6, shops: inFlight, isExistingCustomer: false },
};

type Headers = Readonly<Record<string, string>>;

/** Measures the cost of partitioning ever-growing tables by profile: the same API on two databases, one of them partitioned. */
export const bench: Bench = {
  name: 'partitions',
  question: 'What does an outcome cost in tables that are split by profile, to the same in whole ones?',
  better: 'lower',

  async run({ progress, isSmall }) {
    const [rounds, share, outcomes] = isSmall ? [3, 2, 10_000] : [5, 1, 150_000];
    const engines = await openDrillEngines(set, ['postgres', 'redis']);
    const sides = {
      split: await Side.open(engines.database.ownerUrl, engines.redisUrl, true),
      whole: await Side.open(engines.database.ownerUrl, engines.redisUrl, false),
    };
    const meter = new CpuMeter(set);
    try {
      await meter.learnIdle();
      const [ratios, rates]: [Record<string, number>, Record<string, object>] = [{}, {}];
      const total = Object.keys(loads).length * rounds;
      for (const [at, [name, whole]] of Object.entries(loads).entries()) {
        const load = { ...whole, requests: Math.ceil(whole.requests / share) };
        const cpu: Record<'split' | 'whole', number[]> = { split: [], whole: [] };
        const perSecond = async (side: 'split' | 'whole') => {
          const events = load.requests * load.events;
          const startedAt = performance.now();
          const used = await meter.measure(events, { api: sides[side].pid }, () => sides[side].send(load));
          cpu[side].push((used.postgres ?? 0) + (used.api ?? 0));
          return (events / (performance.now() - startedAt)) * 1_000;
        };
        const measured = await alternate(
          rounds,
          () => perSecond('split'),
          () => perSecond('whole'),
          (round) => progress(at * rounds + round, total, name),
        );
        ratios[name] = Math.round((median(cpu.split) / median(cpu.whole)) * 1_000) / 1_000;
        rates[name] = {
          split: { per_second: Math.round(median(measured.ours)), cpu_us: Math.round(median(cpu.split)) },
          whole: { per_second: Math.round(median(measured.bare)), cpu_us: Math.round(median(cpu.whole)) },
        };
      }
      return {
        ratio: ratios.profiles ?? Number.NaN,
        ...Object.fromEntries(Object.entries(ratios).map(([name, ratio]) => [`ratio_${name}`, ratio])),
        ...rates,
        bytes_an_outcome: {
          split: await sides.split.bytesEach(outcomes),
          whole: await sides.whole.bytesEach(outcomes),
        },
        outcomes,
        parts,
        in_flight: inFlight,
        rounds,
      };
    } finally {
      await Promise.all(Object.values(sides).map((side) => side.close()));
      await engines.close();
    }
  },
};

/** A database, and an API process on it. */
class Side {
  readonly #agent = new Agent({ connections: inFlight });
  readonly #shops: readonly Headers[];
  readonly #api: Killable<{ port: number }>;
  readonly #owner: pg.Client;
  readonly #port: number;
  #number = 0;

  private constructor(shops: readonly Headers[], api: Killable<{ port: number }>, owner: pg.Client, port: number) {
    [this.#shops, this.#api, this.#owner, this.#port] = [shops, api, owner, port];
  }

  static async open(anyUrl: string, redisUrl: string, isSplit: boolean): Promise<Side> {
    const database = `${isSplit ? 'split' : 'whole'}_${randomBytes(4).toString('hex')}`;
    const at = (user: string) => Object.assign(new URL(anyUrl), { username: user, pathname: `/${database}` }).href;
    const admin = new pg.Client({ connectionString: anyUrl });
    await admin.connect();
    await admin.query(`CREATE DATABASE ${database}`);
    await admin.end();
    const owner = new pg.Client({ connectionString: at('tributary_owner') });
    await owner.connect();
    await migrate(at('tributary_owner'));
    if (isSplit) await owner.query(readFileSync(join(import.meta.dirname, 'split-by-profile.sql'), 'utf8'));
    await migrateJobs(at('tributary_owner'));
    const app = createPostgres({ url: at('tributary_app'), poolSize: 2 });
    const shops = await Promise.all(
      Array.from({ length: inFlight }, async () => {
        const { id } = await buildProfile(app, { reportingCurrency: 'CLP' });
        return (await buildApiKey(app, id, { scopes: ['attribution:write'], requestsPerMinute: 600_000 })).headers;
      }),
    );
    await app.close();
    const script = join(import.meta.dirname, '../tests/chaos/events-api.ts');
    const api = new Killable<{ port: number }>(script, [at('tributary_app'), redisUrl, '0', '12']);
    const { port } = await api.start();
    const side = new Side(shops, api, owner, port);
    // Warms up: statements are prepared, and customers get created.
    for (const headers of shops) await side.#post(headers, existingCustomers, true);
    await owner.query('ANALYZE');
    return side;
  }

  get pid(): number | undefined {
    return this.#api.pid;
  }

  async send({ events, requests, shops, isExistingCustomer }: Load): Promise<void> {
    let left = requests;
    const lane = async (_: unknown, place: number) => {
      while (left-- > 0) await this.#post(this.#shops[place % shops] ?? {}, events, isExistingCustomer);
    };
    await Promise.all(Array.from({ length: inFlight }, lane));
  }

  /** The bytes per outcome in tables and indexes, and in the WAL. */
  async bytesEach(outcomes: number): Promise<{ at_rest: number; wal: number }> {
    const before = await this.#bytes();
    await this.send({ events: inBulk, requests: outcomes / inBulk, shops: inFlight, isExistingCustomer: false });
    const after = await this.#bytes();
    return {
      at_rest: Math.round((after.at_rest - before.at_rest) / outcomes),
      wal: Math.round((after.wal - before.wal) / outcomes),
    };
  }

  async close(): Promise<void> {
    await this.#api.kill();
    await Promise.all([this.#agent.close(), this.#owner.end()]);
  }

  async #post(headers: Headers, events: number, isExistingCustomer: boolean): Promise<void> {
    const payments = Array.from({ length: events }, () => {
      this.#number += 1;
      return {
        event_name: 'payment_received',
        idempotency_key: `event-${this.#number}`,
        occurred_at: '2026-05-01T12:00:00Z',
        properties: { value: '19990', currency: 'CLP', branch: 'north' },
        user_traits: {
          external_id: isExistingCustomer ? `known-${this.#number % existingCustomers}` : `new-${this.#number}`,
        },
      };
    });
    const { statusCode, body } = await request(`http://127.0.0.1:${this.#port}/api/v1/events`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(events === 1 ? payments[0] : { events: payments }),
      dispatcher: this.#agent,
    });
    const text = await body.text();
    if (statusCode !== 202) throw new Error(`${statusCode} ${text.slice(0, 200)}`);
  }

  async #bytes(): Promise<{ at_rest: number; wal: number }> {
    const { rows } = await this.#owner.query(
      `SELECT sum(pg_total_relation_size(oid)) AS at_rest, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS wal
      FROM pg_class WHERE relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN ('public', 'parts')) AND relkind = 'r'`,
    );
    return { at_rest: Number(rows[0].at_rest), wal: Number(rows[0].wal) };
  }
}
