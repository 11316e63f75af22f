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
import { asOwner, call, connectTo, firesWithinMs, payment, root, type Watched } from './alerts-scene.ts';
import { until } from './faults-scene.ts';
import { connect } from './sync-scene.ts';
import { happen, subscribe } from './webhook-scene.ts';

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
      await subscribe(postgres, profileId, 'https://subscriber.example/hook', ring.envelope());
      await happen(postgres, profileId, 3);
      return endIt;
    },
  },
  {
    alerts: ['TributarySyncsLate'],
    isSmall: false,
    withinMs: 90_000,
    async breakIt({ engines, postgres, profileId, environment, ring, sandbox, worker }) {
      await worker.kill();
      const providers = createProviders(loadSettings(environment));
      const shop = { id: profileId, workspaceId: await workspaceOf(postgres, profileId) };
      await connect(postgres, sandbox, providers, shop, 'social_ads', ring.envelope());
      const endIt = await standInTheWay(engines.database.ownerUrl, 'syncs', 'SHARE');
      await worker.start();
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
  {
    alerts: ['TributaryProviderWebhooksRefused'],
    isSmall: false,
    async breakIt({ apiUrl }) {
      // Larger than any webhook may be. It ends by itself, once no further one comes.
      await fetch(new URL('/hooks/store', apiUrl), { method: 'POST', body: Buffer.alloc(3 << 20, 'x') }).catch(
        () => {},
      );
      return async () => {};
    },
  },
  {
    alerts: ['TributaryUnexplainedChange'],
    isSmall: false,
    breakIt: loseChangedConversion,
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

async function workspaceOf(postgres: Postgres, profileId: string): Promise<string> {
  const profile = await postgres
    .forProfile(profileId)
    .transaction((tx) =>
      tx.selectFrom('profiles').select('workspace_id').where('id', '=', profileId).executeTakeFirstOrThrow(),
    );
  return profile.workspace_id;
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
