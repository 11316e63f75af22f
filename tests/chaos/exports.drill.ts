import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadDefinitions } from '@tributary/domain/commerce/definitions';
import { createPostgres, type Postgres } from '@tributary/postgres';
import { json, type Sandbox, startSandbox } from '@tributary/sandbox';
import { buildConnection, buildProfile, type Drill, Killable, openDrillEngines } from '@tributary/testkit';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';

const sizes = {
  small: { outcomes: 60, kills: 1, workers: 1 },
  full: { outcomes: 100_000, kills: 20, workers: 2 },
} as const;

/** One of this many outcomes is rejected by the platform. */
const poisonedEvery = 1_000;

/**
 * Exports outcomes to two platforms while workers are killed with SIGKILL. A fifth of the calls fail, and a tenth of the responses are lost after the platform
 * accepted the batch. Some events make the platform reject their whole batch.
 */
export const drill: Drill = {
  name: 'exports',
  promise:
    'Each platform has every outcome exactly once under its id, despite failed calls, lost responses, killed workers and events that it rejects. An export with an unknown result is marked unknown.',

  async run({ size, progress }) {
    const { outcomes, kills, workers: count } = sizes[size];
    const engines = await openDrillEngines('drill-exports', ['postgres']);
    const { database } = engines;
    const app = createPostgres({ url: database.appUrl, poolSize: 8 });
    const system = createPostgres({ url: database.systemUrl, poolSize: 2 });
    const sandbox = await startSandbox({ seed: 3 });
    const settings = JSON.stringify(sandbox.settings);
    const workers = Array.from(
      { length: count },
      () =>
        new Killable(join(import.meta.dirname, 'exports-worker.ts'), [database.appUrl, database.systemUrl, settings]),
    );
    try {
      const profile = await buildProfile(app);
      const { id: profileId } = profile;
      const ledger = app.forProfile(profileId);
      await addTargets(app, profile, sandbox);
      const keys = await addOutcomes(app, profileId, outcomes);
      const poisoned = new Set(keys.filter((_, index) => index % Math.min(poisonedEvery, outcomes) === 7));
      for (const key of poisoned) {
        sandbox.book.meta.events.poisoned.add(key);
        sandbox.book.google.events.poisoned.add(key);
      }
      const always = Number.POSITIVE_INFINITY;
      for (const at of [/\/events$/, /events:ingest$/]) {
        sandbox.say({ at, share: 0.2, times: always, reply: json(500, { error: { code: 2, message: 'away' } }) });
        sandbox.say({ at, share: 0.1, times: always, answer: 'lost' });
      }
      await Promise.all(workers.map((worker) => worker.start()));
      const countOpen = async () =>
        (
          await ledger.transaction((tx) =>
            sql<{ n: number }>`
              SELECT count(*)::int AS n FROM export_events WHERE status IN ('waiting', 'processing')`.execute(tx),
          )
        ).rows[0]?.n ?? 0;
      let killed = 0;
      for (let left = await countOpen(); left > 0 || killed < kills; left = await countOpen()) {
        progress(2 * outcomes - left, 2 * outcomes);
        if (killed < kills && (left === 0 || 2 * outcomes - left >= (2 * outcomes * killed) / (kills + 1))) {
          const worker = workers[killed % workers.length];
          await worker?.kill();
          await worker?.start();
          killed += 1;
        }
        // Makes delayed exports due now, so that the drill does not wait for their backoff.
        await system.unbound.query(
          sql`UPDATE export_events SET due_at = now() WHERE status IN ('waiting', 'processing') AND due_at > now()`,
        );
        await system.unbound.query(sql`UPDATE work_turns SET due = now() WHERE queue = 'exports' AND holder IS NULL`);
        await sleep(100);
      }
      const delivered = {
        social_ads: sandbox.book.meta.events.kept.map(({ event_id }) => event_id ?? ''),
        search_ads: sandbox.book.google.events.kept.map(({ transactionId }) => transactionId),
      };
      const { rows } = await ledger.transaction((tx) =>
        sql<{ channel: 'social_ads' | 'search_ads'; key: string; status: string; reason: string | null }>`
          SELECT c.channel, o.idempotency_key AS key, e.status, e.reason FROM export_events e
          JOIN export_targets t ON t.profile_id = e.profile_id AND t.id = e.target_id
          JOIN connections c ON c.profile_id = t.profile_id AND c.id = t.connection_id
          JOIN outcomes o ON o.profile_id = e.profile_id AND o.id = e.outcome_id`.execute(tx),
      );
      const ids = { social_ads: new Set(delivered.social_ads), search_ads: new Set(delivered.search_ads) };
      const wrong = rows.filter(({ channel, key, status, reason }) => {
        if (poisoned.has(key)) return status !== 'refused' || ids[channel].has(key);
        return status === 'sent' ? !ids[channel].has(key) : !(status === 'unknown' && reason);
      });
      const duplicates =
        delivered.social_ads.length + delivered.search_ads.length - ids.social_ads.size - ids.search_ads.size;
      const announced = await ledger.transaction((tx) =>
        sql<{ n: number }>`SELECT count(*)::int AS n FROM outbox WHERE type LIKE 'export.%'`.execute(tx),
      );
      return {
        passed: wrong.length === 0 && duplicates === 0 && rows.length === 2 * outcomes && killed === kills,
        outcomes,
        platforms: 2,
        told: delivered.social_ads.length + delivered.search_ads.length,
        told_twice: duplicates,
        refused: rows.filter(({ status }) => status === 'refused').length,
        poisoned: 2 * poisoned.size,
        unknown: rows.filter(({ status }) => status === 'unknown').length,
        copies_left_out: sandbox.book.meta.events.copies + sandbox.book.google.events.copies,
        wrong: wrong.length,
        first_wrong: JSON.stringify(wrong.slice(0, 3)),
        kills: killed,
        runs_announced: announced.rows[0]?.n ?? 0,
      };
    } finally {
      await Promise.all(workers.map((worker) => worker.kill()));
      await Promise.all([app.close(), system.close(), sandbox.close()]);
      await engines.close();
    }
  },
};

async function addTargets(app: Postgres, profile: Awaited<ReturnType<typeof buildProfile>>, sandbox: Sandbox) {
  const [meta] = sandbox.book.meta.state.accounts;
  const google = sandbox.book.google.state.customers.find(({ conversionAction }) => conversionAction);
  if (!meta || !google) throw new Error('The sandbox has no accounts.');
  const grant = (of: 'meta' | 'google', accounts: string[], scopes: readonly string[]) =>
    sandbox.consents.grant({ of, clientId: '', redirectUri: '', scopes, accounts });
  const scopes = ['ads_management', 'ads_read', 'https://www.googleapis.com/auth/datamanager'];
  const metaToken = sandbox.consents.token(grant('meta', [meta.id], scopes), 'access', 'EAAdrill');
  const googleGrant = grant('google', [google.id], scopes);
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  const connections = [
    {
      channel: 'social_ads' as const,
      externalId: meta.id,
      dataset: meta.pixels[0]?.id ?? '',
      credentials: { accessToken: metaToken, expiresAt: null, granted: scopes },
    },
    {
      channel: 'search_ads' as const,
      externalId: google.id,
      dataset: google.conversionAction,
      credentials: {
        accessToken: sandbox.consents.token(googleGrant, 'access', 'ya29.drill'),
        refreshToken: sandbox.consents.token(googleGrant, 'refresh', '1//drill'),
        expiresAt,
        granted: scopes,
      },
    },
  ];
  for (const { channel, externalId, dataset, credentials } of connections) {
    const id = await buildConnection({ app }, profile, { channel, externalId, credentials });
    await app.forProfile(profile.id).transaction((tx) =>
      sql`INSERT INTO export_targets (profile_id, id, connection_id, dataset, events, every_minutes, is_enabled, created_at, updated_at)
        VALUES (${profile.id}, ${uuid()}, ${id}, ${dataset}, '{"payment_received": "Purchase"}', 1, true, now(), now())`.execute(
        tx,
      ),
    );
  }
}

/** Inserts outcomes in batches of a thousand. Database triggers queue them for both targets. */
async function addOutcomes(app: Postgres, profileId: string, count: number): Promise<string[]> {
  const ledger = app.forProfile(profileId);
  await ledger.transaction((tx) => loadDefinitions(tx, profileId, new Date()));
  await ledger.transaction((tx) =>
    sql`INSERT INTO customers (profile_id, id, first_name, primary_email, sources, terms, first_seen_at, last_seen_at, created_at)
      SELECT ${profileId}, gen_random_uuid(), 'Ana', 'ana' || n || '@example.test', '{}', '{}', now(), now(), now() FROM generate_series(1, 500) n`.execute(
      tx,
    ),
  );
  for (let from = 0; from < count; from += 1_000) {
    const last = Math.min(from + 1_000, count) - 1;
    await ledger.transaction((tx) =>
      sql`INSERT INTO outcomes (profile_id, id, idempotency_key, event_name, event_type, event_key, event_type_key, customer_id, occurred_at, recorded_at,
          updated_at, amount, currency, rest)
        SELECT ${profileId}, gen_random_uuid(), 'order-' || n, 'payment_received', 'payment_received', 'payment_received', 'payment_received',
          (SELECT id FROM customers WHERE profile_id = ${profileId} ORDER BY id OFFSET n % 500 LIMIT 1), now() - interval '1 hour', now(), now(), 10, 'USD', '{}'
        FROM generate_series(${from}::int, ${last}::int) n`.execute(tx),
    );
  }
  return Array.from({ length: count }, (_, index) => `order-${index}`);
}
