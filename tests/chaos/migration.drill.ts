import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPostgres, type Ledger, migrate } from '@tributary/postgres';
import { buildApiKey, buildProfile, type Drill, freePort, Killable, openDrillEngines, p95 } from '@tributary/testkit';
import { migrateJobs } from '@tributary/work';
import { sql } from 'kysely';
import pg from 'pg';
import { Agent, request } from 'undici';
import * as previous from './previous-version.ts';

const sizes = {
  small: { outcomes: 6_000, customers: 1_000, merges: 100, calmMs: 1_000 },
  full: { outcomes: 5_000_000, customers: 500_000, merges: 100_000, calmMs: 10_000 },
} as const;
const perSecond = 200;
const mostAtOnce = 64;
/** Attribution's snapshots, which keep a migration from its lock. */
const longReadSeconds = 2;

/**
 * A filled ledger as the version before left it is brought up to date while that version's requests come in, writes and reads, with a long
 * read always open. Its code cannot be run here, so its statements are (previous-version.ts), through the same pool, timeouts and retries. Then
 * the API of this version serves from what became of it.
 */
export const drill: Drill = {
  name: 'migration',
  promise: 'A filled ledger is brought up to date while requests come in: none fails, and none waits long for a lock.',

  async run({ size, progress }) {
    const numbers = sizes[size];
    const engines = await openDrillEngines('drill-migration', ['postgres', 'redis']);
    const url = await createDatabase(engines.database);
    await migrate(url.owner, { through: previous.lastMigration });
    await migrateJobs(url.owner);
    const app = createPostgres({ url: url.app, poolSize: mostAtOnce });
    const owner = new pg.Pool({ connectionString: url.owner, max: 2 });
    const agent = new Agent({ connections: mostAtOnce });
    const port = await freePort();
    const api = new Killable(join(import.meta.dirname, 'events-api.ts'), [
      url.app,
      engines.redisUrl,
      String(port),
      '16',
    ]);
    try {
      const { id: profileId } = await buildProfile(app);
      const key = await buildApiKey(app, profileId, {
        scopes: ['attribution:write', 'goals:write'],
        requestsPerMinute: 600_000,
      });
      const place = { profileId };
      const ledger = app.forProfile(profileId);
      await fill(owner, ledger, profileId, numbers, progress);

      const before = new Traffic((n) => asBefore(ledger, place, numbers, n));
      const locks = watchLocks(owner);
      const reading = keepReading(ledger, place);
      await sleep(numbers.calmMs);
      const startedAt = performance.now();
      const applied = await migrate(url.owner);
      const seconds = (performance.now() - startedAt) / 1_000;
      await sleep(numbers.calmMs);
      await reading.stop();
      const [old, longestWaitSeconds] = [await before.stop(), await locks.stop()];

      await api.start();
      const after = new Traffic((n) => asNow(agent, `http://127.0.0.1:${port}`, key.headers, numbers, n));
      await sleep(numbers.calmMs * 2);
      const now = await after.stop();
      const kept = await countKept(owner, profileId);
      const expected = numbers.outcomes + old.writes + now.writes;
      return {
        passed:
          applied.length > 0 &&
          old.failed.length + now.failed.length === 0 &&
          old.writes > 0 &&
          now.writes > 0 &&
          kept.outcomes_kept === expected &&
          kept.merges_without_id === 0 &&
          longestWaitSeconds < 5,
        outcomes: numbers.outcomes,
        migrations: applied.length,
        migration_seconds: rounded(seconds),
        longest_lock_wait_seconds: rounded(longestWaitSeconds),
        requests_before: old.done,
        requests_after: now.done,
        failed: old.failed.length + now.failed.length,
        first_failures: [...old.failed, ...now.failed].slice(0, 3),
        per_second_before: rounded(old.perSecond),
        per_second_after: rounded(now.perSecond),
        p95_ms_before: rounded(old.p95Ms),
        p95_ms_after: rounded(now.p95Ms),
        slowest_seconds: rounded(Math.max(old.slowestMs, now.slowestMs) / 1_000),
        ...kept,
        outcomes_expected: expected,
      };
    } finally {
      await api.kill();
      await agent.close();
      await Promise.all([app.close(), owner.end()]);
      await engines.close();
    }
  },
};

const rounded = (number: number) => Math.round(number * 100) / 100;
const emailOf = (n: number) => `c${n}@example.test`;

async function createDatabase(server: { readonly ownerUrl: string; readonly appUrl: string }) {
  const at = (url: string, name: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href;
  const client = new pg.Client({ connectionString: server.ownerUrl });
  await client.connect();
  // A run that broke off may have left it.
  await client.query('DROP DATABASE IF EXISTS before_migration WITH (FORCE)');
  await client.query('CREATE DATABASE before_migration');
  await client.end();
  return { owner: at(server.ownerUrl, 'before_migration'), app: at(server.appUrl, 'before_migration') };
}

type Numbers = (typeof sizes)['small' | 'full'];

/** What follows from outcomes is not worked out here, or filling would be the drill. */
async function fill(
  owner: pg.Pool,
  ledger: Ledger,
  profileId: string,
  { outcomes, customers, merges }: Numbers,
  progress: (done: number, total: number, note: string) => void,
): Promise<void> {
  await owner.query('ALTER TABLE outcomes DISABLE TRIGGER USER; ALTER TABLE customers DISABLE TRIGGER USER');
  const run = (text: string) => ledger.transaction((tx) => sql.raw(text).execute(tx));
  const id = (kind: string, n: string) => `md5('${kind}' || (${n}))::uuid`;
  const step = 100_000;
  for (let from = 0; from < customers; from += step) {
    const series = `generate_series(${from}, ${Math.min(from + step, customers) - 1}) n`;
    await run(`INSERT INTO customers (profile_id, id, primary_email, sources, terms, first_seen_at, last_seen_at, created_at)
      SELECT '${profileId}', ${id('c', 'n')}, 'c' || n || '@example.test', '{api}', '{}', now(), now(), now() FROM ${series}`);
    await run(`INSERT INTO identifiers (profile_id, kind, value, customer_id, source, said_at)
      SELECT '${profileId}', 'email', 'c' || n || '@example.test', ${id('c', 'n')}, 'api', now() FROM ${series}`);
    await run(`INSERT INTO visitor_links (profile_id, visitor_id, customer_id, source, linked_at)
      SELECT '${profileId}', ${id('v', 'n')}, ${id('c', 'n')}, 'identify', now() FROM ${series}`);
  }
  for (let from = 0; from < outcomes; from += step) {
    const to = Math.min(from + step, outcomes);
    await run(`INSERT INTO outcomes (profile_id, id, idempotency_key, event_name, event_type, event_key, event_type_key, customer_id, occurred_at,
        recorded_at, updated_at, amount, currency, reporting_amount, reporting_currency, rate, rate_date, is_first_payment, rest)
      SELECT '${profileId}', ${id('o', 'n')}, n::text, 'payment_received', 'payment_received', 'payment_received', 'payment_received',
        ${id('c', `n % ${customers}`)}, now() - make_interval(secs => n), now(), now(), 1, 'USD', 1, 'USD', 1, '2026-01-01', false, '{}'
      FROM generate_series(${from}, ${to - 1}) n`);
    progress(to, outcomes, 'outcomes');
  }
  await run(`INSERT INTO dirty_conversions (profile_id, outcome_id, cause)
    SELECT '${profileId}', ${id('o', 'n')}, 'outcome_recorded' FROM generate_series(0, ${outcomes / 100}) n`);
  // Customers that were merged long ago, and are nobody's any longer.
  await run(`INSERT INTO customers (profile_id, id, sources, terms, first_seen_at, last_seen_at, created_at, merged_into)
    SELECT '${profileId}', ${id('l', 'n')}, '{api}', '{}', now(), now(), now(), ${id('c', 'n')} FROM generate_series(0, ${merges - 1}) n`);
  await run(`INSERT INTO merges (profile_id, loser_id, merged_at, survivor_id, source, said_kinds)
    SELECT '${profileId}', ${id('l', 'n')}, now(), ${id('c', 'n')}, 'api', '{email}' FROM generate_series(0, ${merges - 1}) n`);
  await run(`INSERT INTO ad_entities (profile_id, id, platform, level, external_id, first_seen, last_seen)
    SELECT '${profileId}', ${id('a', 'n')}, 'social_ads', 'ad', n::text, now(), now() FROM generate_series(0, 999) n`);
  await owner.query('ALTER TABLE outcomes ENABLE TRIGGER USER; ALTER TABLE customers ENABLE TRIGGER USER; ANALYZE');
}

interface Answer {
  /** How many outcomes it added. */
  readonly writes: number;
}

/** Requests at a steady pace, however long each takes, until it is stopped. */
class Traffic {
  readonly #failed: string[] = [];
  readonly #timesMs: number[] = [];
  readonly #startedAt = performance.now();
  #writes = 0;
  #isOver = false;
  readonly #ended: Promise<void>;

  constructor(send: (n: number) => Promise<Answer>) {
    this.#ended = this.#run(send);
  }

  async stop() {
    this.#isOver = true;
    await this.#ended;
    const [done, seconds] = [this.#timesMs.length, (performance.now() - this.#startedAt) / 1_000];
    return {
      ...{ done, failed: this.#failed, writes: this.#writes, perSecond: done / seconds },
      ...{ p95Ms: p95(this.#timesMs), slowestMs: this.#timesMs.reduce((a, b) => Math.max(a, b), 0) },
    };
  }

  async #run(send: (n: number) => Promise<Answer>): Promise<void> {
    const underWay = new Set<Promise<void>>();
    for (let n = 0; !this.#isOver; n += 1) {
      const dueIn = (n * 1_000) / perSecond - (performance.now() - this.#startedAt);
      if (dueIn > 1) await sleep(dueIn);
      while (underWay.size >= mostAtOnce) await Promise.race(underWay);
      const one: Promise<void> = this.#send(send, n).finally(() => underWay.delete(one));
      underWay.add(one);
    }
    await Promise.all(underWay);
  }

  async #send(send: (n: number) => Promise<Answer>, n: number): Promise<void> {
    const startedAt = performance.now();
    try {
      this.#writes += (await send(n)).writes;
    } catch (error) {
      this.#failed.push(error instanceof Error ? error.message : String(error));
    }
    this.#timesMs.push(performance.now() - startedAt);
  }
}

/** The requests of the version before. What its API could not answer with less than 500 is thrown. */
async function asBefore(ledger: Ledger, place: previous.Place, { customers }: Numbers, n: number): Promise<Answer> {
  // Those in the first tenth are merged two by two, everybody else pays.
  const payer = Math.floor(customers / 10) + ((n * 7919) % Math.floor(customers * 0.9));
  const pair = (n * 2) % Math.floor(customers / 10);
  return ledger.transaction(async (tx) => {
    const idOf = async (kind: string, number: number) =>
      (await sql<{ id: string }>`SELECT md5(${`${kind}${number}`})::uuid AS id`.execute(tx)).rows[0]?.id as string;
    switch (n % 10) {
      case 0:
        await previous.mergeCustomers(tx, place, await idOf('c', pair), await idOf('c', pair + 1));
        return { writes: 0 };
      case 1:
        await previous.markTouched(tx, place, await idOf('v', payer));
        return { writes: 0 };
      case 2:
        await previous.renameAd(tx, place, await idOf('a', n % 1_000));
        return { writes: 0 };
      case 3:
      case 4:
      case 5:
        await previous.readCustomers(tx, place, await idOf('c', payer));
        return { writes: 0 };
      default:
        await previous.recordPayment(tx, place, emailOf(payer));
        return { writes: 1 };
    }
  });
}

/** The same of this version, as it is asked. */
async function asNow(
  agent: Agent,
  base: string,
  headers: Readonly<Record<string, string>>,
  { customers }: Numbers,
  n: number,
): Promise<Answer> {
  const email = emailOf(Math.floor(customers / 10) + ((n * 7919) % Math.floor(customers * 0.9)));
  const isRead = n % 10 < 3;
  const response = await request(`${base}/api/v1/${isRead ? 'goals/definitions' : 'events'}`, {
    method: isRead ? 'GET' : 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    ...(!isRead && {
      body: JSON.stringify({
        event_name: 'payment_received',
        idempotency_key: `after-${n}`,
        properties: { value: '1', currency: 'USD' },
        user_traits: { email },
      }),
    }),
    dispatcher: agent,
  });
  const text = await response.body.text();
  if (response.statusCode >= 300) throw new Error(`${response.statusCode} ${text.slice(0, 200)}`);
  return { writes: isRead ? 0 : 1 };
}

/** There is always a read open that is older than a migration. */
function keepReading(ledger: Ledger, place: previous.Place) {
  let isOver = false;
  const reading = (async () => {
    while (!isOver) {
      await ledger.transaction((tx) => previous.readForLong(tx, place, longReadSeconds));
      await sleep(300);
    }
  })();
  // Heard when it is stopped.
  reading.catch(() => {});
  return {
    async stop() {
      isOver = true;
      await reading;
    },
  };
}

/** How long anybody but the migration itself waited for a lock at most, looked at many times a second. */
function watchLocks(owner: pg.Pool) {
  let isOver = false;
  let longest = 0;
  const watching = (async () => {
    while (!isOver) {
      const { rows } = await owner.query<{ seconds: string | null }>(`
        SELECT extract(epoch FROM max(clock_timestamp() - l.waitstart)) AS seconds FROM pg_locks l
        JOIN pg_stat_activity a ON a.pid = l.pid WHERE NOT l.granted AND a.usename = 'tributary_app'`);
      longest = Math.max(longest, Number(rows[0]?.seconds ?? 0));
      await sleep(20);
    }
  })();
  return {
    async stop() {
      isOver = true;
      await watching;
      return longest;
    },
  };
}

async function countKept(owner: pg.Pool, profileId: string) {
  // The owner stands behind the wall like everybody else, but for what migrations ask.
  const { rows } = await owner.query<{ outcomes: string; without_id: string }>(
    `SELECT (SELECT count(*) FROM outcomes WHERE profile_id = $1) AS outcomes, (SELECT count(*) FROM merges WHERE id IS NULL) AS without_id`,
    [profileId],
  );
  return { outcomes_kept: Number(rows[0]?.outcomes), merges_without_id: Number(rows[0]?.without_id) };
}
