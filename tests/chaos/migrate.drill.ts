import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Supervisor } from '@tributary/engines';
import { compareMigrations, createPostgres, migrate, type Postgres } from '@tributary/postgres';
import { buildApiKey, type Drill, freePort, Killable, p95 } from '@tributary/testkit';
import { migrateJobs } from '@tributary/work';
import { sql } from 'kysely';
import { Agent, request } from 'undici';
import { v7 as uuid } from 'uuid';
import { earlierRequests, fillEarlierLedger, tablesOfRequests } from './migrate-before.ts';

/** The small size runs in parallel with other drills, on a machine that cannot serve 200 requests per second. */
const sizes = {
  small: { outcomes: 20_000, perSecond: 50, quietSeconds: 1, afterSeconds: 2 },
  full: { outcomes: 5_000_000, perSecond: 200, quietSeconds: 20, afterSeconds: 60 },
} as const;
const set = 'drill-migrate';
/** The last migration of the version that serves. Later migrations store when and why a figure changed. */
const earlierMigration = '0052_freshness';
/** The pool size of the API. */
const poolSize = 20;
const sampleMs = 20;

/**
 * Fills a ledger in the schema of an earlier version and applies all later migrations while it is in use. The code of that version no longer runs,
 * so the drill executes the statements of its requests, in tenant-scoped transactions and with the API's pool size. A statement that fails or
 * times out counts as a 5xx of that version. Afterwards the API of this version serves the same ledger.
 */
export const drill: Drill = {
  name: 'migrate',
  promise:
    'A filled ledger is migrated while the previous version serves 200 requests per second: no request fails and no data is lost.',

  async run({ size, progress }) {
    const { outcomes, perSecond, quietSeconds, afterSeconds } = sizes[size];
    // An interrupted run may have left its data behind.
    await new Supervisor(set).destroy();
    const supervisor = new Supervisor(set);
    const addresses = await supervisor.start(['postgres', 'redis']);
    const [ownerUrl, appUrl] = [addresses.DATABASE_OWNER_URL ?? '', addresses.DATABASE_APP_URL ?? ''];
    const app = createPostgres({ url: appUrl, poolSize });
    const owner = createPostgres({ url: ownerUrl, poolSize: 1 });
    try {
      await migrate(ownerUrl, earlierMigration);
      const profileId = await fillEarlierLedger(owner, app, outcomes, (done) =>
        progress(done, outcomes, 'outcomes filled'),
      );
      const waiting = (await compareMigrations(ownerUrl)).waiting;
      const load = startLoad(app, profileId, outcomes, perSecond);
      await sleep(quietSeconds * 1_000);
      const quiet = load.takeWaits();
      const locks = watchLocks(owner, waiting);
      const startedAt = performance.now();
      const applied = await migrate(ownerUrl);
      const seconds = secondsSince(startedAt);
      const held = await locks.end();
      await sleep(quietSeconds * 500);
      const busy = load.takeWaits();
      const { requests, failed, firstFailure, acknowledgedKeys } = await load.end();
      const lost = await countLost(app, profileId, acknowledgedKeys, outcomes);
      const { waiting: left, unknown } = await compareMigrations(ownerUrl);
      await migrateJobs(ownerUrl);
      const served = await serve(
        app,
        profileId,
        { appUrl, redisUrl: addresses.REDIS_URL ?? '' },
        perSecond,
        afterSeconds,
      );
      return {
        passed:
          failed === 0 &&
          lost === 0 &&
          applied.length === waiting.length &&
          left.length + unknown.length === 0 &&
          busy.length > 0 &&
          acknowledgedKeys.length > 0 &&
          served.requests > 0 &&
          served.failed === 0,
        outcomes,
        migrations: applied.length,
        migrated_in_seconds: seconds,
        longest_lock_seconds: held.seconds,
        longest_lock_of: held.table,
        longest_lock_in: held.migration,
        requests_per_second: perSecond,
        requests,
        answered_5xx: failed,
        ...(firstFailure && { first_failure: firstFailure }),
        p95_ms: { quiet: Math.round(p95(quiet)), meanwhile: Math.round(p95(busy)) },
        longest_wait_ms: Math.round(Math.max(...busy)),
        recorded_meanwhile: acknowledgedKeys.length,
        lost,
        requests_of_this_version: served.requests,
        answered_5xx_of_this_version: served.failed,
      };
    } finally {
      await Promise.all([app.close(), owner.close()]);
      await supervisor.destroy();
    }
  },
};

const secondsSince = (startedAt: number) => Math.round((performance.now() - startedAt) / 10) / 100;

/** Sends requests at a fixed rate without waiting for earlier responses. */
async function atPace(perSecond: number, signal: AbortSignal, send: (n: number) => Promise<void>): Promise<void> {
  const startedAt = performance.now();
  const open = new Set<Promise<void>>();
  for (let n = 0; !signal.aborted; n += 1) {
    const dueIn = startedAt + (n * 1_000) / perSecond - performance.now();
    if (dueIn > 1) await sleep(dueIn);
    const one = send(n).finally(() => open.delete(one));
    open.add(one);
  }
  await Promise.all(open);
}

function startLoad(app: Postgres, profileId: string, outcomes: number, perSecond: number) {
  const stop = new AbortController();
  const ledger = app.forProfile(profileId);
  const acknowledgedKeys: string[] = [];
  let waits: number[] = [];
  let [requests, failed] = [0, 0];
  let firstFailure: string | undefined;
  const sending = atPace(perSecond, stop.signal, async (n) => {
    const [name, work] = earlierRequests[n % earlierRequests.length] as (typeof earlierRequests)[number];
    const startedAt = performance.now();
    requests += 1;
    try {
      const key = await ledger.transaction((tx) => work(tx, profileId, n, outcomes));
      if (key) acknowledgedKeys.push(key);
    } catch (error) {
      failed += 1;
      firstFailure ??= `${name}: ${(error as Error).message}`;
    }
    waits.push(performance.now() - startedAt);
  });
  return {
    takeWaits() {
      const sinceLastCall = waits;
      waits = [];
      return sinceLastCall;
    },
    async end() {
      stop.abort();
      await sending;
      return { requests, failed, firstFailure, acknowledgedKeys };
    },
  };
}

/** Samples how long migrations lock writers out of the tables that requests use. `end` resolves to the longest lock. */
function watchLocks(owner: Postgres, migrations: readonly string[]) {
  const stop = new AbortController();
  const since = new Map<string, number>();
  let longest = { seconds: 0, table: '', migration: '' };
  const watching = (async () => {
    while (!stop.signal.aborted) {
      const { rows } = await owner.unbound.query(sql<{ key: string; table: string; at: string; done: string | null }>`
        SELECT l.pid || ' ' || a.xact_start || ' ' || l.relation AS key, c.relname AS table, extract(epoch FROM clock_timestamp()) AS at,
          (SELECT max(name) FROM kysely_migration) AS done
        FROM pg_locks l JOIN pg_stat_activity a USING (pid) JOIN pg_class c ON c.oid = l.relation
        WHERE l.granted AND l.locktype = 'relation' AND a.usename = current_user AND l.pid <> pg_backend_pid()
          AND l.mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
          AND c.relname = ANY (${[...tablesOfRequests]}::text[])`);
      for (const { key, table, at, done } of rows) {
        const first = since.get(key) ?? Number(at);
        since.set(key, first);
        const seconds = Math.round((Number(at) - first + sampleMs / 1_000) * 100) / 100;
        const migration = migrations.find((name) => name > (done ?? '')) ?? '';
        if (seconds > longest.seconds) longest = { seconds, table, migration };
      }
      await sleep(sampleMs);
    }
  })();
  return {
    async end() {
      stop.abort();
      await watching;
      return longest;
    },
  };
}

/** Counts acknowledged outcomes that are missing, and the difference between the outcomes and the totals that a trigger maintains. */
async function countLost(
  app: Postgres,
  profileId: string,
  acknowledgedKeys: readonly string[],
  filled: number,
): Promise<number> {
  const { rows } = await app.forProfile(profileId).transaction((tx) =>
    sql<{ there: string; found: string; totals: string }>`
      SELECT (SELECT count(*) FROM outcomes) AS there, (SELECT coalesce(sum(outcomes), 0) FROM outcome_totals) AS totals,
        (SELECT count(*) FROM outcomes WHERE idempotency_key = ANY (${[...acknowledgedKeys]}::text[])) AS found`.execute(
      tx,
    ),
  );
  const { there = 0, found = 0, totals = 0 } = rows[0] ?? {};
  return (
    acknowledgedKeys.length -
    Number(found) +
    Math.abs(Number(there) - filled - acknowledgedKeys.length) +
    Math.abs(Number(there) - Number(totals))
  );
}

/** Sends requests to the API of this version, on the same ledger. */
async function serve(
  app: Postgres,
  profileId: string,
  { appUrl, redisUrl }: { readonly appUrl: string; readonly redisUrl: string },
  perSecond: number,
  seconds: number,
) {
  const { headers } = await buildApiKey(app, profileId, { scopes: ['attribution:write'], requestsPerMinute: 600_000 });
  const port = await freePort();
  const api = new Killable(join(import.meta.dirname, 'events-api.ts'), [appUrl, redisUrl, String(port)]);
  await api.start();
  const dispatcher = new Agent({ connections: poolSize });
  const counts = { requests: 0, failed: 0 };
  try {
    await atPace(perSecond, AbortSignal.timeout(seconds * 1_000), async (n) => {
      const response = await request(`http://127.0.0.1:${port}/api/v1/events`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({
          event_name: 'payment_received',
          idempotency_key: uuid(),
          properties: { value: '10', currency: 'USD' },
          user_traits: { email: `p${n}@example.cl` },
        }),
        dispatcher,
      });
      await response.body.dump();
      counts.requests += 1;
      if (response.statusCode !== 202) counts.failed += 1;
    });
    return counts;
  } finally {
    await dispatcher.close();
    await api.kill();
  }
}
