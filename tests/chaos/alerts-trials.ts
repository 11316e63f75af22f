import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { raw } from '@tributary/clickhouse';
import { reconcileNightly } from '@tributary/domain/reconciliation/room.ts';
import { createPostgres } from '@tributary/postgres';
import { connectStream } from '@tributary/stream';
import { browserVisit } from '@tributary/testkit';
import { createVault } from '@tributary/vault';
import { dayMs } from '@tributary/vocabulary';
import pg from 'pg';
import { v7 as uuid } from 'uuid';
import { command } from '../upgrade/old-version.ts';
import type { Watched } from './alerts-scene.ts';
import { until } from './faults-scene.ts';
import { happen, subscribe } from './webhook-scene.ts';

const root = join(import.meta.dirname, '../..');
export const firesWithinMs = 45_000;

export interface Trial {
  readonly alerts: readonly string[];
  readonly isSmall: boolean;
  /** What runs once a minute takes longer than the rest. */
  readonly withinMs?: number;
  /** Resolves to what its runbook says to do. */
  readonly breakIt: (scene: Watched) => Promise<() => Promise<unknown>>;
}

export const trials: readonly Trial[] = [
  {
    alerts: ['TributaryBackupOld'],
    isSmall: false,
    withinMs: 90_000,
    breakIt:
      async ({ operatorEnvironment }) =>
      () =>
        command(root, operatorEnvironment, 'backup'),
  },
  {
    alerts: ['TributaryProcessDown'],
    isSmall: true,
    async breakIt({ collector }) {
      await collector.kill();
      return () => collector.start();
    },
  },
  {
    alerts: ['TributaryLocalLimits'],
    isSmall: true,
    async breakIt({ engines: { supervisor } }) {
      await supervisor.kill('redis');
      return () => supervisor.start(['redis']);
    },
  },
  {
    alerts: ['TributaryErrors', 'TributaryEngineUnknown'],
    isSmall: true,
    async breakIt({ engines: { supervisor } }) {
      await supervisor.kill('postgres');
      return () => supervisor.start(['postgres']);
    },
  },
  {
    alerts: ['TributaryEventsWaiting'],
    isSmall: false,
    async breakIt({ engines, postgres, profileId }) {
      // Somebody who began to repair something by hand, and went to lunch.
      const endIt = await standInTheWay(engines.database.ownerUrl, 'event_counter', 'EXCLUSIVE');
      await happen(postgres, profileId, 5);
      return endIt;
    },
  },
  {
    alerts: ['TributaryWebhooksLate'],
    isSmall: false,
    async breakIt({ engines, postgres, profileId, ring }) {
      // Somebody makes an index without CONCURRENTLY.
      const endIt = await standInTheWay(engines.database.ownerUrl, 'webhook_deliveries', 'SHARE');
      await subscribe(postgres, profileId, 'https://subscriber.example/hook', createVault(ring.keys('envelope')));
      await happen(postgres, profileId, 3);
      return endIt;
    },
  },
  {
    alerts: ['TributaryBadVisits'],
    isSmall: false,
    async breakIt({ post, key }) {
      const stop = new AbortController();
      const sending = (async () => {
        while (!stop.signal.aborted) {
          const broken = { ...browserVisit(new Date()), url: 'no address at all' };
          await post(JSON.stringify({ key, client_id: uuid(), visits: [broken, broken] }));
          await sleep(100);
        }
      })();
      return async () => {
        stop.abort();
        await sending;
      };
    },
  },
  {
    alerts: ['TributaryTrackerSilent'],
    isSmall: false,
    async breakIt(scene) {
      const sender = scene.visitSender();
      await sender.stop(firesWithinMs);
      return async () => scene.visitSender().start();
    },
  },
  {
    alerts: ['TributaryVisitsLogFull'],
    isSmall: false,
    async breakIt({ stream, environment }) {
      const limit = async () => {
        const { bytes, share } = await stream.fill();
        if (share < 0.8) await limitStreams(environment, { maxBytes: Math.ceil(bytes * 1.15) });
      };
      await limit();
      // What is handled is freed once a minute.
      const again = setInterval(() => void limit().catch(() => {}), 1_000);
      return () => {
        clearInterval(again);
        return limitStreams(environment, {});
      };
    },
  },
  {
    alerts: ['TributaryVisitsWaiting', 'TributaryReportsLate', 'TributaryErasuresLate', 'TributarySlow'],
    isSmall: false,
    async breakIt(scene) {
      const { supervisor } = scene.engines;
      supervisor.pause('clickhouse');
      await erase(scene, 'c-1').catch((error: Error) => {
        supervisor.resume('clickhouse');
        throw error;
      });
      return async () => supervisor.resume('clickhouse');
    },
  },
  {
    alerts: ['TributaryDeadLetters', 'TributaryDeadLettersFull'],
    isSmall: false,
    async breakIt({ engines, operatorEnvironment, environment, stream, worker, post, key }) {
      // A key that is retired before what it sealed was read.
      await worker.kill();
      const broken = { ...browserVisit(new Date()), url: 'no address at all' };
      await post(JSON.stringify({ key, client_id: uuid(), visits: [broken] }));
      await command(root, operatorEnvironment, 'keys', 'rotate', 'stream');
      await command(root, operatorEnvironment, 'keys', 'retire', 'stream');
      await worker.start();
      await until('a message is dead', firesWithinMs, async () => (await stream.deadLetters.count()) > 0);
      const { bytes } = await stream.fill('dead-letters');
      await limitStreams(environment, { deadLetterMaxBytes: Math.ceil(bytes * 1.15) });
      return async () => {
        await asOwner(engines.database.ownerUrl, `UPDATE key_ring SET retired_at = NULL WHERE purpose = 'stream'`);
        await limitStreams(environment, {});
        await command(root, operatorEnvironment, 'visits', 'replay-dead');
      };
    },
  },
  {
    alerts: ['TributaryWorkSetAside'],
    isSmall: false,
    async breakIt(scene) {
      const { environment, operatorEnvironment } = scene;
      // Where backups are kept is not mounted, and nobody is erased before that was noted there.
      const [folder, away] = [environment.BACKUP_FOLDER ?? '', `${environment.BACKUP_FOLDER}-away`];
      await rename(folder, away);
      await writeFile(folder, '');
      await erase(scene, 'c-2');
      return async () => {
        await rm(folder);
        await rename(away, folder);
        await command(root, operatorEnvironment, 'work', 'retry');
      };
    },
  },
  {
    alerts: ['TributaryJobsFailed'],
    isSmall: false,
    withinMs: 90_000,
    async breakIt({ engines }) {
      // Somebody who tightened what roles may do. The job runs every minute.
      const { ownerUrl } = engines.database;
      await asOwner(ownerUrl, 'REVOKE SELECT ON payment_refunds FROM tributary_system');
      return () => asOwner(ownerUrl, 'GRANT SELECT ON payment_refunds TO tributary_system');
    },
  },
  {
    alerts: ['TributaryBooksDiffer'],
    isSmall: false,
    withinMs: 90_000,
    breakIt: loseConversion,
  },
];

/** Somebody whose transaction stays open; what the runbook says finds and ends it. */
async function standInTheWay(ownerUrl: string, table: string, mode: 'SHARE' | 'EXCLUSIVE') {
  const open = await connectTo(ownerUrl);
  await open.query('BEGIN');
  await open.query(`LOCK TABLE ${table} IN ${mode} MODE`);
  return async () => {
    const repairing = await connectTo(ownerUrl);
    // The worker's own question may not be blocked at this very moment.
    await until('somebody is in the way', firesWithinMs, async () => {
      const { rows } = await repairing.query<{ pid: number }>(
        `SELECT DISTINCT b.pid FROM pg_stat_activity w CROSS JOIN unnest(pg_blocking_pids(w.pid)) AS p (pid)
         JOIN pg_stat_activity b ON b.pid = p.pid WHERE b.usename = current_user`,
      );
      for (const { pid } of rows) await repairing.query('SELECT pg_terminate_backend($1)', [pid]);
      return rows.length > 0;
    });
    await repairing.end();
    await open.end().catch(() => {});
  };
}

/** Somebody who pays, and wants to be erased. */
async function erase({ apiUrl, headers }: Watched, externalId: string): Promise<void> {
  await call(apiUrl, headers, 'events', { events: [payment('1.00', externalId, new Date())] });
  await call(apiUrl, headers, 'customers/erasures', {
    request_ref: uuid(),
    identifier_type: 'external_customer_id',
    identifier_value: externalId,
  });
}

const payment = (value: string, external_id: string, at: Date) => ({
  event_name: 'payment_received',
  idempotency_key: uuid(),
  occurred_at: at.toISOString(),
  properties: { value, currency: 'USD' },
  user_traits: { external_id },
});

/** A conversion of yesterday goes from the columns without a trace, and the books are compared as they are every night. */
async function loseConversion({ apiUrl, headers, clickhouse, engines, profileId }: Watched) {
  await call(apiUrl, headers, 'events', { events: [payment('7.77', 'c-3', new Date(Date.now() - dayMs))] });
  const found = raw<{ id: string }>(
    `SELECT toString(conversion_id) AS id FROM attributed_conversions FINAL WHERE value = 777 AND NOT is_deleted`,
  );
  let id = '';
  await until('the conversion is in the columns', firesWithinMs, async () => {
    id = (await clickhouse.query(found, {}))[0]?.id ?? '';
    return id !== '';
  });
  await clickhouse.command(
    raw(`ALTER TABLE attributed_conversions DELETE WHERE conversion_id = '${id}' SETTINGS mutations_sync = 1`),
    {},
  );
  const system = createPostgres({ url: engines.database.systemUrl, poolSize: 1 });
  await reconcileNightly(system, new Date());
  return async () => {
    const { rows } = await asOwner(
      engines.database.ownerUrl,
      `SELECT id FROM reconciliations WHERE profile_id = '${profileId}' AND is_nightly ORDER BY requested_at DESC LIMIT 1`,
    );
    await call(apiUrl, headers, `reconciliations/${rows[0]?.id}/repair`, { kinds: ['missing_in_columns'] });
    await until('the conversion is there again', firesWithinMs, async () =>
      (await clickhouse.query(found, {})).some((row) => row.id === id),
    );
    // The next night.
    await reconcileNightly(system, new Date(Date.now() + dayMs));
    await system.close();
  };
}

async function call(apiUrl: string, headers: Readonly<Record<string, string>>, path: string, body: unknown) {
  const answer = await fetch(`${apiUrl}/api/v1/${path}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}: ${await answer.text()}`);
}

async function asOwner(ownerUrl: string, statement: string): Promise<pg.QueryResult<{ id: string }>> {
  const owner = await connectTo(ownerUrl);
  return owner.query(statement).finally(() => owner.end());
}

async function connectTo(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** As a worker does that is started with other settings. */
async function limitStreams(
  environment: Readonly<Record<string, string>>,
  limits: { readonly maxBytes?: number; readonly deadLetterMaxBytes?: number },
): Promise<void> {
  const { NATS_URL: url = '', STREAM_PREFIX: prefix = '' } = environment;
  const stream = await connectStream({ url, prefix, ...limits });
  await stream.ensureStreams().finally(() => stream.close());
}
