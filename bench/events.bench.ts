import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { createPostgres } from '@tributary/postgres';
import {
  alternate,
  type Bench,
  buildApiKey,
  buildProfile,
  Killable,
  median,
  openDrillEngines,
  testTombstones,
} from '@tributary/testkit';
import pg from 'pg';
import { Agent, request } from 'undici';
import { v7 as uuid } from 'uuid';

const poolSize = 12;
const inFlight = poolSize * 2;
const rounds = 4;
const existingCustomers = 1_000;
const inBulk = 1_000;

/** A profile, and the headers for its requests. */
interface Shop {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Payment {
  readonly event: string;
  readonly who: string;
}

/** A way of sending payments: events per request, number of requests, and customers. */
interface Load {
  readonly events: number;
  readonly requests: number;
  readonly shopsAtOnce: number;
  readonly isExistingCustomer: boolean;
}
const loads: Readonly<Record<string, Load>> = {
  single: { events: 1, requests: 1_200, shopsAtOnce: 1, isExistingCustomer: false },
  known: { events: 1, requests: 1_200, shopsAtOnce: 1, isExistingCustomer: true },
  profiles: { events: 1, requests: 1_200, shopsAtOnce: inFlight, isExistingCustomer: false },
  profiles_known: { events: 1, requests: 1_200, shopsAtOnce: inFlight, isExistingCustomer: true },
  bulk: { events: inBulk, requests: 6, shopsAtOnce: 1, isExistingCustomer: false },
};

/** Measures the overhead of an event over a hand-written function: HTTP, limits, credential, validation, identity, money, first payments. */
export const bench: Bench = {
  name: 'events',
  question: 'How many outcomes a second does POST /events record, to one PL/pgSQL call with the same locks and rows?',
  better: 'higher',

  async run({ progress }) {
    const engines = await openDrillEngines('bench-events', ['postgres', 'redis']);
    const { appUrl, ownerUrl } = engines.database;
    await addBareProgram(ownerUrl);
    const app = createPostgres({ url: appUrl, poolSize: 2 });
    const shops = await Promise.all(Array.from({ length: inFlight }, () => openShop(app)));
    const script = join(import.meta.dirname, '../tests/chaos/events-api.ts');
    const api = new Killable<{ port: number }>(script, [appUrl, engines.redisUrl, '0', String(poolSize)]);
    const agent = new Agent({ connections: inFlight });
    const pool = new pg.Pool({ connectionString: appUrl, max: poolSize });
    let number = 0;
    const paymentsOf = ({ events, isExistingCustomer }: Load): Payment[] =>
      Array.from({ length: events }, () => {
        number += 1;
        return {
          event: `event-${number}`,
          who: isExistingCustomer ? `known-${number % existingCustomers}` : `new-${number}`,
        };
      });
    try {
      const { port } = await api.start();
      const post = async ({ headers }: Shop, payments: readonly Payment[]) => {
        const { statusCode, body } = await request(`http://127.0.0.1:${port}/api/v1/events`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(bodyOf(payments)),
          dispatcher: agent,
        });
        const text = await body.text();
        if (statusCode !== 202) throw new Error(`${statusCode} ${text.slice(0, 200)}`);
      };
      const existing = Array.from({ length: existingCustomers }, (_, index) => ({
        event: `first-${index}`,
        who: `known-${index}`,
      }));
      for (const shop of shops) await post(shop, existing);

      const figures: Record<string, { ratio: number; ours: number; bare: number }> = {};
      for (const [at, [name, load]] of Object.entries(loads).entries()) {
        const { requests, events, shopsAtOnce } = load;
        // Every worker has its own shop, or all share the first.
        const perSecond = async (atOnce: number, work: (shop: Shop, payments: Payment[]) => Promise<void>) => {
          const waiting = Array.from({ length: requests }, () => paymentsOf(load));
          const seconds = await timed(atOnce, async (worker) => {
            const shop = shops[worker % shopsAtOnce] as Shop;
            for (let next = waiting.pop(); next; next = waiting.pop()) await work(shop, next);
          });
          return (requests * events) / seconds;
        };
        const sides = await alternate(
          rounds,
          () => perSecond(inFlight, post),
          () => perSecond(poolSize, (shop, payments) => recordBare(pool, shop, payments)),
          (round) => progress(at * rounds + round, Object.keys(loads).length * rounds, name),
        );
        const [ours, bare] = [median(sides.ours), median(sides.bare)];
        const ratio = Math.round((ours / bare) * 1_000) / 1_000;
        figures[name] = { ratio, ours: Math.round(ours), bare: Math.round(bare) };
      }
      const perSecond = ({ ours, bare }: { ours: number; bare: number }) => ({ ours, bare });
      const { single, ...others } = figures;
      if (!single) throw new Error('Nothing was measured.');
      return {
        ratio: single.ratio,
        ...Object.fromEntries(Object.entries(others).map(([name, { ratio }]) => [`ratio_${name}`, ratio])),
        outcomes_per_second: perSecond(single),
        ...Object.fromEntries(
          Object.entries(others).map(([name, figure]) => [`outcomes_per_second_${name}`, perSecond(figure)]),
        ),
        events_in_bulk: inBulk,
        profiles: inFlight,
        in_flight: inFlight,
        pool: poolSize,
        rounds,
      };
    } finally {
      await api.kill();
      await Promise.all([agent.close(), pool.end(), app.close()]);
      await engines.close();
    }
  },
};

async function addBareProgram(ownerUrl: string): Promise<void> {
  const owner = new pg.Client({ connectionString: ownerUrl });
  await owner.connect();
  await owner.query(readFileSync(join(import.meta.dirname, 'events-bare.sql'), 'utf8'));
  await owner.end();
}

async function openShop(app: ReturnType<typeof createPostgres>): Promise<Shop> {
  const { id } = await buildProfile(app, { reportingCurrency: 'CLP' });
  const { headers } = await buildApiKey(app, id, { scopes: ['attribution:write'], requestsPerMinute: 600_000 });
  return { id, headers };
}

const bodyOf = (payments: readonly Payment[]) => {
  const events = payments.map(({ event, who }) => ({
    event_name: 'payment_received',
    idempotency_key: event,
    occurred_at: '2026-05-01T12:00:00Z',
    properties: { value: '19990', currency: 'CLP', branch: 'north' },
    user_traits: { external_id: who },
  }));
  return events.length === 1 ? events[0] : { events };
};

/** One call of the hand-written function: it commits on its own, and the connection caches its plans. */
async function recordBare(pool: pg.Pool, { id }: Shop, payments: readonly Payment[]): Promise<void> {
  const rows = payments.toSorted((a, b) => (a.event < b.event ? -1 : 1));
  const all = {
    stripes: [...new Set(rows.map(({ who }) => crc32(who) % 64))].sort((a, b) => a - b),
    whose: rows.map(({ who }) => who),
    graves: rows.map(({ who }) => testTombstones.hashOf(id, who)),
    events: rows.map(({ event }) => event),
    customers: rows.map(() => uuid()),
    outcomes: rows.map(() => uuid()),
  };
  const requestValues = [uuid(), new Date()];
  await (rows.length === 1
    ? pool.query({
        name: 'one',
        text: 'SELECT record_payment($1, $2, $3, $4, $5, $6, $7, $8, $9)',
        values: [id, ...Object.values(all).map(([first]) => first), ...requestValues],
      })
    : pool.query({
        name: 'many',
        text: 'SELECT record_payments($1, $2, $3, $4, $5, $6, $7, $8, $9)',
        values: [id, ...Object.values(all), ...requestValues],
      }));
}

/** The seconds until all workers are done. */
async function timed(workers: number, work: (worker: number) => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
  return (performance.now() - startedAt) / 1_000;
}
