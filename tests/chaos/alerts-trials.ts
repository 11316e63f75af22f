import { rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadSettings } from '@tributary/config';
import type { Postgres } from '@tributary/postgres';
import { createProviders } from '@tributary/providers';
import { connectStream } from '@tributary/stream';
import { browserVisit } from '@tributary/testkit';
import { v7 as uuid } from 'uuid';
import { command } from '../upgrade/old-version.ts';
import { loseChangedConversion, loseConversion } from './alerts-conversions.ts';
import { type AlertsScene, asOwner, call, connectTo, fireTimeoutMs, payment, root } from './alerts-scene.ts';
import { until } from './faults-scene.ts';
import { connect } from './sync-scene.ts';
import { happen, subscribe } from './webhook-scene.ts';

export interface Trial {
  readonly alerts: readonly string[];
  readonly isSmall: boolean;
  /** For alerts on jobs that run once a minute, which take longer to fire. */
  readonly timeoutMs?: number;
  /** Causes the alert. Returns a function that performs the runbook's fix. */
  readonly inject: (scene: AlertsScene) => Promise<() => Promise<unknown>>;
}

export const trials: readonly Trial[] = [
  {
    alerts: ['TributaryBackupOld'],
    isSmall: false,
    timeoutMs: 90_000,
    inject:
      async ({ operatorEnvironment }) =>
      () =>
        command(root, operatorEnvironment, 'backup'),
  },
  {
    alerts: ['TributaryProcessDown'],
    isSmall: true,
    async inject({ collector }) {
      await collector.kill();
      return () => collector.start();
    },
  },
  {
    alerts: ['TributaryLocalLimits'],
    isSmall: true,
    async inject({ engines: { supervisor } }) {
      await supervisor.kill('redis');
      return () => supervisor.start(['redis']);
    },
  },
  {
    alerts: ['TributaryErrors', 'TributaryEngineUnknown'],
    isSmall: true,
    async inject({ engines: { supervisor } }) {
      await supervisor.kill('postgres');
      return () => supervisor.start(['postgres']);
    },
  },
  {
    alerts: ['TributaryEventsWaiting'],
    isSmall: false,
    async inject({ engines, postgres, profileId }) {
      // An operator started a manual repair and left the transaction open.
      const terminateBlocker = await holdLock(engines.database.ownerUrl, 'event_counter', 'EXCLUSIVE');
      await happen(postgres, profileId, 5);
      return terminateBlocker;
    },
  },
  {
    alerts: ['TributaryWebhooksLate'],
    isSmall: false,
    async inject({ engines, postgres, profileId, ring }) {
      // An operator creates an index without CONCURRENTLY.
      const terminateBlocker = await holdLock(engines.database.ownerUrl, 'webhook_deliveries', 'SHARE');
      await subscribe(postgres, profileId, 'https://subscriber.example/hook', ring.envelope());
      await happen(postgres, profileId, 3);
      return terminateBlocker;
    },
  },
  {
    alerts: ['TributarySyncsLate'],
    isSmall: false,
    timeoutMs: 90_000,
    async inject({ engines, postgres, profileId, environment, ring, sandbox, worker }) {
      await worker.kill();
      const providers = createProviders(loadSettings(environment));
      const shop = { id: profileId, workspaceId: await workspaceOf(postgres, profileId) };
      await connect(postgres, sandbox, providers, shop, 'social_ads', ring.envelope());
      const terminateBlocker = await holdLock(engines.database.ownerUrl, 'syncs', 'SHARE');
      await worker.start();
      return terminateBlocker;
    },
  },
  {
    alerts: ['TributaryBadVisits'],
    isSmall: false,
    async inject({ post, key }) {
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
    async inject(scene) {
      const sender = scene.visitSender();
      await sender.stop(fireTimeoutMs);
      return async () => scene.visitSender().start();
    },
  },
  {
    alerts: ['TributaryVisitsLogFull'],
    isSmall: false,
    async inject({ stream, environment }) {
      const limit = async () => {
        const { bytes, share } = await stream.fill();
        if (share < 0.8) await limitStreams(environment, { maxBytes: Math.ceil(bytes * 1.15) });
      };
      await limit();
      // The worker trims processed messages once a minute, so the limit is lowered repeatedly.
      const timer = setInterval(() => void limit().catch(() => {}), 1_000);
      return () => {
        clearInterval(timer);
        return limitStreams(environment, {});
      };
    },
  },
  {
    alerts: ['TributaryVisitsWaiting', 'TributaryReportsLate', 'TributaryErasuresLate', 'TributarySlow'],
    isSmall: false,
    async inject(scene) {
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
    async inject({ engines, operatorEnvironment, environment, stream, worker, post, key }) {
      // A stream key is retired before the messages encrypted with it were consumed.
      await worker.kill();
      const broken = { ...browserVisit(new Date()), url: 'no address at all' };
      await post(JSON.stringify({ key, client_id: uuid(), visits: [broken] }));
      await command(root, operatorEnvironment, 'keys', 'rotate', 'stream');
      await command(root, operatorEnvironment, 'keys', 'retire', 'stream');
      await worker.start();
      await until('there is a dead letter', fireTimeoutMs, async () => (await stream.deadLetters.count()) > 0);
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
    async inject(scene) {
      const { environment, operatorEnvironment } = scene;
      // The backup folder is not mounted. An erasure must be recorded there before it may run, so it is parked.
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
    timeoutMs: 90_000,
    async inject({ engines }) {
      // An operator revoked a privilege that a job needs. The job runs every minute.
      const { ownerUrl } = engines.database;
      await asOwner(ownerUrl, 'REVOKE SELECT ON payment_refunds FROM tributary_system');
      return () => asOwner(ownerUrl, 'GRANT SELECT ON payment_refunds TO tributary_system');
    },
  },
  {
    alerts: ['TributaryBooksDiffer'],
    isSmall: false,
    timeoutMs: 90_000,
    inject: loseConversion,
  },
  {
    alerts: ['TributaryProviderWebhooksRefused'],
    isSmall: false,
    async inject({ apiUrl }) {
      // A webhook above the size limit. The alert resolves once no further webhook is rejected.
      await fetch(new URL('/hooks/store', apiUrl), { method: 'POST', body: Buffer.alloc(3 << 20, 'x') }).catch(
        () => {},
      );
      return async () => {};
    },
  },
  {
    alerts: ['TributaryUnexplainedChange'],
    isSmall: false,
    inject: loseChangedConversion,
  },
];

/** Holds a table lock in an open transaction. The returned fix finds the blocking session and terminates it, as the runbook says. */
async function holdLock(ownerUrl: string, table: string, mode: 'SHARE' | 'EXCLUSIVE') {
  const blocker = await connectTo(ownerUrl);
  await blocker.query('BEGIN');
  await blocker.query(`LOCK TABLE ${table} IN ${mode} MODE`);
  return async () => {
    const admin = await connectTo(ownerUrl);
    // The worker's query may not be blocked at this moment, so this repeats until it is.
    await until('a session blocks the worker', fireTimeoutMs, async () => {
      const { rows } = await admin.query<{ pid: number }>(
        `SELECT DISTINCT b.pid FROM pg_stat_activity w CROSS JOIN unnest(pg_blocking_pids(w.pid)) AS p (pid)
         JOIN pg_stat_activity b ON b.pid = p.pid WHERE b.usename = current_user`,
      );
      for (const { pid } of rows) await admin.query('SELECT pg_terminate_backend($1)', [pid]);
      return rows.length > 0;
    });
    await admin.end();
    await blocker.end().catch(() => {});
  };
}

/** Records a payment of a customer and requests the erasure of that customer. */
async function erase({ apiUrl, headers }: AlertsScene, externalId: string): Promise<void> {
  await call(apiUrl, headers, 'events', { events: [payment('1.00', externalId, new Date())] });
  await call(apiUrl, headers, 'customers/erasures', {
    request_ref: uuid(),
    identifier_type: 'external_customer_id',
    identifier_value: externalId,
  });
}

async function workspaceOf(postgres: Postgres, profileId: string): Promise<string> {
  const profile = await postgres
    .forProfile(profileId)
    .transaction((tx) =>
      tx.selectFrom('profiles').select('workspace_id').where('id', '=', profileId).executeTakeFirstOrThrow(),
    );
  return profile.workspace_id;
}

/** Sets the stream limits as a worker with different settings would. */
async function limitStreams(
  environment: Readonly<Record<string, string>>,
  limits: { readonly maxBytes?: number; readonly deadLetterMaxBytes?: number },
): Promise<void> {
  const { NATS_URL: url = '', STREAM_PREFIX: prefix = '' } = environment;
  const stream = await connectStream({ url, prefix, ...limits });
  await stream.ensureStreams().finally(() => stream.close());
}
