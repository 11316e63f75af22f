import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { appliedMigrations, type CopiedPartition, clickhouseSettings, cloneTables } from '@tributary/clickhouse';
import type { Settings } from '@tributary/config';
import { visitsConsumer } from '@tributary/domain/traffic/ingestion/module.ts';
import { type BackupFile, type BackupFolder, forgetNoted } from '@tributary/platform';
import { type Cut, takeCut } from '@tributary/postgres';
import { connectStream, type Stream, type StreamPosition, streamOptions } from '@tributary/stream';
import { dayMs, homeShard } from '@tributary/vocabulary';
import { queues } from '@tributary/work';
import packageFile from '../../../package.json' with { type: 'json' };
import { type LedgerServer, serversOf } from './ledger-servers.ts';
import {
  type CopiedLedger,
  filesOf,
  listBackups,
  type Manifest,
  readManifest,
  removeManifest,
  writeManifest,
} from './manifest.ts';

/** Queues whose items are done once their result is in ClickHouse. */
const clickhouseQueues = [
  queues.attribution,
  queues.delivery,
  queues.erasures,
  queues.tenantDeletions,
  queues.scores,
].flatMap(({ tables }) => tables);

/**
 * Copies all stores as of one moment without stopping writes. First reads the visit consumer's position: earlier visits are already in the other
 * stores, and later ones are copied from the stream last. In between, PostgreSQL and ClickHouse are copied at one moment at which no queue may
 * complete an item (see `takeCut`).
 */
export async function makeBackup(
  settings: Settings,
  folder: BackupFolder,
  now: Date,
  report: (line: string) => void = () => {},
): Promise<Manifest> {
  const id = `${now.toISOString().replaceAll(/[-:]|\.\d+/g, '')}-${randomBytes(3).toString('hex')}`;
  const stream = await connectStream(streamOptions(settings));
  const columns = clickhouseSettings(settings);
  const clones = await cloneTables(columns);
  try {
    await stream.ensureStreams();
    await stream.ensureWorkStreams();
    const handled = await stream.consumedThrough(visitsConsumer);
    const cuts = await takeCuts(serversOf(settings), () => clones.take());
    const { heldMs, takenAt } = cuts.get(homeShard) as Cut;
    report(`taken at ${takenAt.toISOString()}; queues stood still for ${heldMs} ms`);
    try {
      const log = await copyLog(stream, folder, id, handled);
      const keys = await folder.write(`files/${id}-keys`, keysOf(settings));
      const shards: Record<string, CopiedLedger> = {};
      for (const [name, cut] of cuts) {
        const dump = cut.dump();
        const file = `files/${id}-postgres${name === homeShard ? '' : `-${name}`}`;
        const copied = { ...(await folder.write(file, dump.bytes)), rows: await cut.countRows() };
        await dump.done;
        shards[name] = copied;
        report(`PostgreSQL (${name}): ${sum(Object.values(copied.rows))} rows, ${copied.bytes} bytes`);
      }
      const { [homeShard]: postgres, ...further } = shards as Record<string, CopiedLedger> & { home: CopiedLedger };
      const before = await earlierPartitions(folder);
      const partitions: (CopiedPartition & BackupFile)[] = [];
      for (const partition of await clones.partitions()) {
        const retained = before.get(nameOf(partition));
        const file = `files/${id}-${partition.table}-${partition.partition}-${partition.node}`;
        const written = retained ?? (await folder.write(file, await clones.read(partition)));
        partitions.push({ ...partition, file: written.file, bytes: written.bytes, sha256: written.sha256 });
      }
      report(`ClickHouse: ${sum(partitions.map(({ rows }) => rows))} rows in ${partitions.length} partitions`);
      const manifest: Manifest = {
        id,
        version: packageFile.version,
        takenAt: takenAt.toISOString(),
        heldMs,
        postgres,
        shards: further,
        clickhouse: { migrations: await appliedMigrations(columns), partitions },
        log,
        keys,
      };
      await verifyFiles(folder, manifest);
      await writeManifest(folder, manifest);
      return manifest;
    } finally {
      for (const cut of cuts.values()) await cut.close();
    }
  } finally {
    await clones.drop();
    await stream.close();
  }
}

/** Nested: while ClickHouse is copied, no queue of any server may complete an item. */
async function takeCuts(
  servers: readonly LedgerServer[],
  meanwhile: () => Promise<void>,
): Promise<ReadonlyMap<string, Cut>> {
  const cuts = new Map<string, Cut>();
  const take = async ([server, ...rest]: readonly LedgerServer[]): Promise<void> => {
    if (!server) return meanwhile();
    const cut = await takeCut(server, clickhouseQueues, () => take(rest));
    // Retries a server whose writers did not finish in time, with all servers nested inside it.
    await cuts.get(server.name)?.close();
    cuts.set(server.name, cut);
  };
  try {
    await take(servers);
    return new Map([...cuts].reverse());
  } catch (error) {
    for (const cut of cuts.values()) await cut.close();
    throw error;
  }
}

/** Reads every file from disk again to verify it completely. */
export async function verifyFiles(folder: BackupFolder, manifest: Manifest): Promise<void> {
  for (const written of filesOf(manifest)) await folder.verify(written);
}

/** Deletes backups older than the retention setting, but never the newest, then files and tombstone notes that no backup needs any more. */
export async function pruneBackups(settings: Settings, folder: BackupFolder, now: Date): Promise<number> {
  const before = new Date(now.getTime() - settings.backupRetentionDays * dayMs);
  const all = await listBackups(folder);
  const retained: Manifest[] = [];
  let removed = 0;
  for (const id of all) {
    const manifest = await readManifest(folder, id);
    if (id === all.at(-1) || new Date(manifest.takenAt) >= before) {
      retained.push(manifest);
      continue;
    }
    await removeManifest(folder, id);
    removed += 1;
  }
  const needed = new Set(retained.flatMap(filesOf).map(({ file }) => file));
  for (const name of await folder.list('files')) {
    const file = `files/${name}`;
    // A newer file may belong to a backup in progress.
    if (!needed.has(file) && (await folder.writtenAt(file)) < new Date(now.getTime() - dayMs))
      await folder.remove(file);
  }
  const oldest = retained[0];
  if (oldest) await forgetNoted(folder, new Date(oldest.takenAt));
  return removed;
}

const nameOf = ({ table, partition, fingerprint }: CopiedPartition) => `${table} ${partition} ${fingerprint}`;

/** The partitions in the last backup: unchanged ones are not copied again. */
async function earlierPartitions(folder: BackupFolder): Promise<Map<string, BackupFile>> {
  const last = (await listBackups(folder)).at(-1);
  if (!last) return new Map();
  const { clickhouse } = await readManifest(folder, last);
  return new Map(clickhouse.partitions.map((partition) => [nameOf(partition), partition]));
}

async function copyLog(
  stream: Stream,
  folder: BackupFolder,
  id: string,
  handled: StreamPosition,
): Promise<Manifest['log']> {
  let messages = 0;
  const lines = async function* () {
    for (const copied of [stream.readVisits(handled), stream.readDeadLetters(), stream.readWork()])
      for await (const message of copied) {
        messages += 1;
        yield Buffer.from(`${JSON.stringify(message)}\n`);
      }
  };
  const written = await folder.write(`files/${id}-log`, Readable.from(lines()));
  return { ...written, messages };
}

const keysOf = ({ encryptionKeys = [] }: Settings): string =>
  encryptionKeys.map(({ id, bytes }) => `${id}:${bytes.toString('base64')}`).join(',');

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
