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
  // With the reports about 200 requests a second; a key may make 100.
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
 * An earlier version, its own code on its own data, takes outcomes and visits and answers reports. This version migrates its stores meanwhile; then each
 * process is replaced by one of this version, the new one started before the old one is asked to leave.
 */
export const drill: Drill = {
  name: 'upgrade',
  promise:
    'An earlier version is replaced by this one while requests come: none is refused, nothing is lost, no report says otherwise.',

  async run({ size, progress }) {
    const known = earlierVersions.filter(({ commit }) => isKnown(commit));
    const results: Awaited<ReturnType<typeof upgrade>>[] = [];
    for (const [index, version] of known.entries()) {
      const told = (step: number, what: string) =>
        progress(index * steps + step, known.length * steps, `${version.name}: ${what}`);
      results.push(await upgrade(version, size, told));
    }
    // A shallow clone has no code of earlier versions.
    const left = earlierVersions.filter((version) => !known.includes(version)).map(({ name }) => name);
    return {
      passed: results.every(({ passed }) => passed),
      versions: Object.fromEntries(known.map(({ name }, index) => [name, results[index]])),
      ...(left.length > 0 && { not_run: left }),
    };
  },
};

/** Of an upgrade, for who watches. */
const steps = 5;

async function upgrade(version: EarlierVersion, size: 'small' | 'full', told: (step: number, what: string) => void) {
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
    const kept = JSON.parse(readFileSync(join(folderOf(version.name), 'reports.json'), 'utf8'));
    const backup = { BACKUP_FOLDER: join(directory, 'backup'), BACKUP_KEYS: backupKeys };
    told(0, 'restore');
    await command(code, { ...stores, ...backup }, 'restore');
    told(1, 'start');
    const mint = async () => {
      const minted = await command(code, stores, 'key', 'create', kept.profile_id, '--rate', '6000', '--json');
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
    const visits = new VisitSender(receiver, sizes[size].visits).withKey(kept.tracking_key);
    const reader = readReports(receiver, readerHeaders, version, kept.answers);
    for (const sender of [outcomes, visits]) sender.start();
    await sleep(sizes[size].quietMs);
    const begin = (step: number, what: string) => {
      told(step, what);
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
    const of = { postgres, clickhouse, stream, shops: [{ profileId: kept.profile_id }] };
    await until('every visit is stored', withinMs, async () => (await stream.waiting('ingestion')) === 0);
    const before = version.to;
    const { rows } = await postgres.forProfile(kept.profile_id).transaction((tx) =>
      sql<{
        key: string;
      }>`SELECT idempotency_key AS key FROM outcomes WHERE occurred_at > ${before}::date + 1`.execute(tx),
    );
    const found = new Set(rows.map(({ key }) => key));
    const lost = [...outcomes.outcomes.keys()].filter((key) => !found.has(key)).length;
    const { visits: stored, deadLetters } = await countStores(of);
    const visitsLost = visits.visits.size - (stored - Number(kept.visits));
    const strange = { ...outcomes.strange, ...visits.strange };
    if (Object.keys(strange).length > 0)
      for (const line of failuresOf(running.flatMap(({ lines }) => lines))) console.error(line);
    return {
      passed:
        lost === 0 &&
        rows.length === outcomes.outcomes.size &&
        visitsLost === 0 &&
        deadLetters === 0 &&
        outcomes.refused + visits.refused === 0 &&
        Object.keys(strange).length === 0 &&
        read.refused === 0 &&
        read.wrong.length === 0 &&
        read.asked > 0 &&
        /about \d+/.test(plan?.detail ?? '') === migrations > 0,
      migrations,
      migrated_in_seconds: seconds,
      doctor_said: /about [^;]*$/.exec(plan?.detail ?? '')?.[0],
      requests_refused: outcomes.refused + visits.refused + read.refused,
      outcomes_refused: outcomes.refusals,
      visits_refused: visits.refusals,
      strange_answers: strange,
      outcomes: rows.length,
      outcomes_lost: lost,
      visits: visits.visits.size,
      visits_lost: visitsLost,
      dead_letters: deadLetters,
      reports_read: read.asked,
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

/** Asks for every report again and again; what it says of days that are over must be what was said before. */
function readReports(
  receiver: Receiver,
  headers: Readonly<Record<string, string>>,
  version: EarlierVersion,
  answers: Readonly<Record<string, unknown>>,
) {
  const stop = new AbortController();
  const counts = { asked: 0, refused: 0, wrong: [] as string[] };
  const reading = (async () => {
    while (!stop.signal.aborted)
      for (const path of questions(version)) {
        if (stop.signal.aborted) break;
        const answer = await fetch(`${receiver.apiUrl}${path}`, { headers }).catch(() => undefined);
        const said = (await answer?.json().catch(() => undefined)) as { data?: unknown } | undefined;
        counts.asked += 1;
        if (answer?.status !== 200) counts.refused += 1;
        else counts.wrong.push(...differences(answers[path], said?.data, path));
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
