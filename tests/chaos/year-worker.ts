import { createClickHouse } from '@tributary/clickhouse';
import { FakeClock } from '@tributary/clock';
import { loadSettings } from '@tributary/config';
import { findAdPlatforms } from '@tributary/domain/advertising/campaigns/module.ts';
import { tombstonesUnder } from '@tributary/domain/commerce/customers/module.ts';
import { repriceOutcomes } from '@tributary/domain/commerce/outcomes/module.ts';
import { applyWaitingRefunds, paymentStandings } from '@tributary/domain/commerce/payments/module.ts';
import { attribution } from '@tributary/domain/measurement/attribution/module.ts';
import { sequenceBatch } from '@tributary/domain/tenancy/events/module.ts';
import { openIngestion, visitorLinks } from '@tributary/domain/traffic/ingestion/module.ts';
import { markVerified } from '@tributary/domain/traffic/tracking/module.ts';
import { createPersonalDataGate } from '@tributary/operations';
import { createOutbound, localDevelopmentTargets } from '@tributary/outbound';
import { createPostgres } from '@tributary/postgres';
import { createProviders } from '@tributary/providers';
import { connectStream } from '@tributary/stream';
import { createLog } from '@tributary/telemetry';
import { clickhouseAt, processQueue, testRing, testVault } from '@tributary/testkit';
import type { QueueName } from '@tributary/work';
import { consumeVisits } from '@tributary/worker/consume-visits.ts';
import { queueHandlers } from '@tributary/worker/queues.ts';

/** The addresses of the engines and the settings of the providers. */
export interface YearWorkerSettings {
  readonly appUrl: string;
  readonly systemUrl: string;
  readonly clickhouseUrl: string;
  readonly clickhouseDatabase: string;
  readonly natsUrl: string;
  readonly streamPrefix: string;
  readonly providers: Readonly<Record<string, string>>;
}

/** A command of the drill: one round of work at a moment of the simulated year. */
export interface RoundCommand {
  readonly now: string;
  /** Profiles whose reporting currency changed. */
  readonly repriced: readonly string[];
  readonly queues: readonly QueueName[];
  readonly connections: readonly string[];
}

/** The result of a round: the error that ended it, if any, and the seconds spent on each queue. */
export interface RoundResult {
  readonly error: string | null;
  readonly spent: Readonly<Record<string, number>>;
}

/**
 * A worker with the product's handlers that works on command, at the time in the command, so that a simulated day ends with its round.
 * Attribution results are dated by the real clock, because ClickHouse and PostgreSQL date other rows by their own clocks.
 */
const settings = JSON.parse(process.argv[2] ?? '{}') as YearWorkerSettings;
const clock = new FakeClock(new Date(0));
const now = () => clock.now();
const app = createPostgres({ url: settings.appUrl, poolSize: 8 });
const system = createPostgres({ url: settings.systemUrl, poolSize: 4 });
const clickhouse = {
  ...clickhouseAt(settings.clickhouseUrl),
  database: settings.clickhouseDatabase,
  requestTimeoutMs: 120_000,
};
const client = createClickHouse(clickhouse);
const stream = await connectStream({ url: settings.natsUrl, prefix: settings.streamPrefix });
const outbound = createOutbound({ timeoutMs: 20_000, policy: localDevelopmentTargets });
const ingestion = openIngestion({
  postgres: app,
  clickhouse: client,
  ring: testRing,
  markVerified,
  badBytesPerDay: 50 << 20,
  now,
});
const handlers = {
  ...queueHandlers({
    app,
    system,
    clickhouse,
    quick: client,
    patient: client,
    stream,
    ingestion,
    now,
    rateSources: {},
    badVisitDays: 30,
    visitsRetentionDays: undefined,
    languageModel: undefined,
    mailing: { mailer: undefined, baseUrl: 'https://tributary.test' },
    outbound,
    syncing: {
      vault: testVault,
      providers: createProviders(loadSettings({ ...settings.providers, PROVIDER_LOCAL_HOSTS: '127.0.0.1' })),
      providerOutbound: outbound,
      outcomes: {
        tombstones: tombstonesUnder(() => testRing.eldest().bytes),
        payments: paymentStandings,
        findAdPlatforms,
        visitors: visitorLinks,
      },
    },
    deliveries: { outbound, vault: testVault, gate: createPersonalDataGate(app) },
  }),
  attribution: attribution({ app, clickhouse: client, now: () => new Date() }),
};

/** Seconds spent on each queue. */
const spent: Record<string, number> = {};

async function work({ now: moment, repriced, queues, connections }: RoundCommand): Promise<void> {
  clock.set(moment);
  for (const profileId of repriced) await repriceOutcomes(app, { profileId }, AbortSignal.timeout(120_000));
  for (const queue of queues) {
    const since = performance.now();
    if (queue === 'webhooks') while ((await sequenceBatch(system.unbound, now())) > 0);
    if (queue === 'sales') await applyWaitingRefunds(app, system, now(), AbortSignal.timeout(120_000));
    // Syncs of several connections run at the same time, as in the product's worker.
    const keys = queue === 'syncs' ? connections : [undefined];
    await Promise.all(keys.map((key) => processQueue(system, queue, handlers[queue], key)));
    spent[queue] = (spent[queue] ?? 0) + (performance.now() - since) / 1_000;
  }
}

process.on('disconnect', () => process.exit());
process.on('message', async (command: RoundCommand) => {
  const error = await work(command).then(
    () => null,
    (one: unknown) => String(one instanceof Error ? one.stack : one),
  );
  process.send?.({ error, spent });
  for (const queue of Object.keys(spent)) delete spent[queue];
});
await consumeVisits(stream, ingestion, createLog('silent'), (error) => console.error(error));
process.send?.('ready');
