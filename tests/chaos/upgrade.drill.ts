import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClickHouse } from '@tributary/clickhouse';
import { Supervisor } from '@tributary/engines';
import { createPostgres } from '@tributary/postgres';
import { connectStream } from '@tributary/stream';
import type { Drill } from '@tributary/testkit';
import { sql } from 'kysely';
import { checkOut, command, isKnown } from '../upgrade/old-version.ts';
import {
  backupKeys,
  differences,
  type EarlierVersion,
  earlierVersions,
  encryptionKeys,
  folderOf,
  questions,
} from '../upgrade/versions.ts';
import type { AppProcess } from './app-process.ts';
import { type App, apps, until } from './faults-scene.ts';
import { OutcomeSender, type Receiver, VisitSender } from './faults-senders.ts';
import { failuresOf } from './faults-verdict.ts';
import { receiverOf, replaceApp, startApp } from './rolling-restart.ts';
import { countStores } from './visits-scene.ts';

const sizes = {
  small: {
    quietMs: 500,
    withdrawnMs: 500,
    outcomes: { perSecond: 20, perRequest: 2 },
    visits: { perSecond: 20, perRequest: 5 },
  },
  // About 200 requests per second, including the reports. A key may send 100 per second.
  full: {
    quietMs: 30_000,
    withdrawnMs: 5_000,
    outcomes: { perSecond: 80, perRequest: 1 },
    visits: { perSecond: 105, perRequest: 1 },
  },
} as const;
const withinMs = 180_000;
const root = join(import.meta.dirname, '../..');

/**
 * An earlier version, with its own code and data, receives outcomes and visits and serves reports. Meanwhile this version migrates its stores.
 * Then each process is replaced by one of this version, which starts before the old process is stopped.
 */
export const drill: Drill = {
  name: 'upgrade',
  promise:
    'An earlier version is replaced by this one while requests arrive: no request is refused, no data is lost and no report changes.',

  async run({ size, progress }) {
    const available = earlierVersions.filter(({ commit }) => isKnown(commit));
    const results: Awaited<ReturnType<typeof upgrade>>[] = [];
    for (const [index, version] of available.entries()) {
      const reportStep = (step: number, what: string) =>
        progress(index * steps + step, available.length * steps, `${version.name}: ${what}`);
      results.push(await upgrade(version, size, reportStep));
    }
    // A shallow clone has no code of earlier versions.
    const skipped = earlierVersions.filter((version) => !available.includes(version)).map(({ name }) => name);
    return {
      passed: results.every(({ passed }) => passed),
      versions: Object.fromEntries(available.map(({ name }, index) => [name, results[index]])),
      ...(skipped.length > 0 && { not_run: skipped }),
    };
  },
};

/** The progress steps of one upgrade. */
const steps = 5;

async function upgrade(
  version: EarlierVersion,
  size: 'small' | 'full',
  reportStep: (step: number, what: string) => void,
) {
  const directory = mkdtempSync(join(tmpdir(), 'upgrade-'));
  const supervisor = new Supervisor('drill-upgrade');
  const running: AppProcess[] = [];
  const closing: (() => Promise<unknown>)[] = [];
  try {
    await supervisor.destroy();
    const code = join(directory, 'code');
    cpSync(folderOf(version.name), join(directory, 'backup'), { recursive: true });
    checkOut(version.commit, code);
    const stores: Readonly<Record<string, string>> = {
      ...(await supervisor.start()),
      CLICKHOUSE_DATABASE: 'upgrade',
      STREAM_PREFIX: 'upgrade',
      ENCRYPTION_KEYS: encryptionKeys,
      BASE_URL: 'http://127.0.0.1',
      COLLECTOR_REQUESTS_PER_MINUTE: '100000000',
      COLLECTOR_ADDRESS_SHARE: '100',
    };
    const recorded = JSON.parse(readFileSync(join(folderOf(version.name), 'reports.json'), 'utf8'));
    const backup = { BACKUP_FOLDER: join(directory, 'backup'), BACKUP_KEYS: backupKeys };
    reportStep(0, 'restore');
    await command(code, { ...stores, ...backup }, 'restore');
    reportStep(1, 'start');
    const mint = async () => {
      const minted = await command(code, stores, 'key', 'create', recorded.profile_id, '--rate', '6000', '--json');
      return { authorization: `Bearer ${JSON.parse(minted).key}` };
    };
    const [headers, readerHeaders] = [await mint(), await mint()];

    const start = async (app: App, directory: string) => {
      const started = await startApp(app, stores, directory);
      running.push(started.process);
      return started;
    };
    const serving = {
      api: await start('api', code),
      collector: await start('collector', code),
      worker: await start('worker', code),
    };
    const receiver = receiverOf(serving, headers);
    const outcomes = new OutcomeSender(receiver, sizes[size].outcomes);
    const visits = new VisitSender(receiver, sizes[size].visits).withKey(recorded.tracking_key);
    const reader = readReports(receiver, readerHeaders, version, recorded.answers);
    for (const sender of [outcomes, visits]) sender.start();
    await sleep(sizes[size].quietMs);
    const begin = (step: number, what: string) => {
      reportStep(step, what);
      for (const sender of [outcomes, visits]) sender.meanwhile = what;
    };

    begin(2, 'migrate');
    const doctor = await command(root, stores, 'doctor', '--json').catch((error) => error.stdout as string);
    const plan = JSON.parse(doctor).find(
      ({ what, detail }: { what: string; detail: string }) => what === 'upgrade' && detail.includes('PostgreSQL'),
    );
    const startedAt = performance.now();
    const applied = JSON.parse(await command(root, stores, 'migrate', '--json'));
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    const migrations = applied.postgres.length + applied.clickhouse.length;
    await sleep(sizes[size].quietMs);
    for (const app of apps) {
      begin(3, `replace ${app}`);
      // Versions before 0.1.0 stop serving at once, so traffic is moved to the new process first.
      await replaceApp(serving, app, () => start(app, root), sizes[size].withdrawnMs);
    }
    await sleep(sizes[size].quietMs);
    begin(4, 'compare');
    for (const sender of [outcomes, visits]) await sender.stop(withinMs);
    const read = await reader.stop();

    const postgres = createPostgres({ url: stores.DATABASE_APP_URL ?? '', poolSize: 2 });
    const clickhouse = createClickHouse({ url: stores.CLICKHOUSE_URL ?? '', database: 'upgrade' });
    const stream = await connectStream({ url: stores.NATS_URL ?? '', prefix: 'upgrade' });
    closing.push(
      () => stream.close(),
      () => postgres.close(),
      () => clickhouse.close(),
    );
    const of = { postgres, clickhouse, stream, shops: [{ profileId: recorded.profile_id }] };
    await until('every visit is stored', withinMs, async () => (await stream.waiting('ingestion')) === 0);
    const before = version.to;
    const { rows } = await postgres.forProfile(recorded.profile_id).transaction((tx) =>
      sql<{
        key: string;
      }>`SELECT idempotency_key AS key FROM outcomes WHERE occurred_at > ${before}::date + 1`.execute(tx),
    );
    const found = new Set(rows.map(({ key }) => key));
    const lost = [...outcomes.outcomes.keys()].filter((key) => !found.has(key)).length;
    const { visits: stored, deadLetters } = await countStores(of);
    const visitsLost = visits.visits.size - (stored - Number(recorded.visits));
    const unexpected = { ...outcomes.strange, ...visits.strange };
    if (Object.keys(unexpected).length > 0)
      for (const line of failuresOf(running.flatMap(({ lines }) => lines))) console.error(line);
    return {
      passed:
        lost === 0 &&
        rows.length === outcomes.outcomes.size &&
        visitsLost === 0 &&
        deadLetters === 0 &&
        outcomes.refused + visits.refused === 0 &&
        Object.keys(unexpected).length === 0 &&
        read.refused === 0 &&
        read.wrong.length === 0 &&
        read.requested > 0 &&
        /about \d+/.test(plan?.detail ?? '') === migrations > 0,
      migrations,
      migrated_in_seconds: seconds,
      doctor_said: /about [^;]*$/.exec(plan?.detail ?? '')?.[0],
      requests_refused: outcomes.refused + visits.refused + read.refused,
      outcomes_refused: outcomes.refusals,
      visits_refused: visits.refusals,
      strange_answers: unexpected,
      outcomes: rows.length,
      outcomes_lost: lost,
      visits: visits.visits.size,
      visits_lost: visitsLost,
      dead_letters: deadLetters,
      reports_read: read.requested,
      reports_wrong: read.wrong.length,
      ...(read.wrong.length > 0 && { first_wrong: read.wrong[0] }),
    };
  } finally {
    for (const close of closing) await close();
    for (const one of running) await one.kill();
    await supervisor.destroy();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Requests every report repeatedly. Its figures for past days must equal those that the earlier version returned. */
function readReports(
  receiver: Receiver,
  headers: Readonly<Record<string, string>>,
  version: EarlierVersion,
  answers: Readonly<Record<string, unknown>>,
) {
  const stop = new AbortController();
  const counts = { requested: 0, refused: 0, wrong: [] as string[] };
  const reading = (async () => {
    while (!stop.signal.aborted)
      for (const path of questions(version)) {
        if (stop.signal.aborted) break;
        const response = await fetch(`${receiver.apiUrl}${path}`, { headers }).catch(() => undefined);
        const body = (await response?.json().catch(() => undefined)) as { data?: unknown } | undefined;
        counts.requested += 1;
        if (response?.status !== 200) counts.refused += 1;
        else counts.wrong.push(...differences(answers[path], body?.data, path));
        await sleep(50);
      }
  })();
  return {
    async stop() {
      stop.abort();
      await reading;
      return counts;
    },
  };
}
