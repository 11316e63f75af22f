import { createInterface } from 'node:readline';
import { clickhouseSettings, hasRows, loadPartitions, migrate, migrationsOf } from '@tributary/clickhouse';
import { type Settings, WrongSettings } from '@tributary/config';
import type { BackupFolder } from '@tributary/platform';
import { hasTables, resetRestored, restoreDump } from '@tributary/postgres';
import { type CopiedMessage, connectStream, streamOptions } from '@tributary/stream';
import { homeShard } from '@tributary/vocabulary';
import { serversOf } from './ledger-servers.ts';
import { verifyFiles } from './make-backup.ts';
import type { Manifest } from './manifest.ts';

const messagesAtOnce = 500;

/** Restores into empty engines, and starts only if all of them are empty. The restored schemas are the backup's; migrate afterwards. */
export async function restoreBackup(
  settings: Settings,
  folder: BackupFolder,
  manifest: Manifest,
  report: (line: string) => void = () => {},
): Promise<void> {
  const columns = clickhouseSettings(settings);
  const migrations = migrationsOf(manifest.clickhouse.migrations);
  const stream = await connectStream(streamOptions(settings));
  try {
    await refuseOtherKeys(settings, folder, manifest);
    const ledgers = ledgersOf(settings, manifest);
    for (const { name, owner } of ledgers)
      if (await hasTables(owner))
        throw new Error(`The database of the ledger "${name}" has tables. A backup is restored into an empty one.`);
    if (await hasRows(columns))
      throw new Error(`ClickHouse has rows in "${columns.database}". A backup is restored into an empty database.`);
    await stream.ensureStreams();
    await stream.ensureWorkStreams();
    if ((await stream.fill()).bytes > 0)
      throw new Error('The visits log holds messages. A backup is restored beside an empty one.');
    await verifyFiles(folder, manifest);
    report('every file opens and is what was written');

    for (const { name, owner, copied } of ledgers) {
      await restoreDump(owner, folder.read(copied.file));
      compare(`PostgreSQL (${name})`, copied.rows, await resetRestored(owner));
      report(`PostgreSQL (${name}): every table has its rows`);
    }
    await migrate(columns, { migrations });
    await loadPartitions(columns, manifest.clickhouse.partitions, ({ file }) => folder.read(file));
    report('ClickHouse: every partition has its rows');
    let batch: CopiedMessage[] = [];
    for await (const line of createInterface({ input: folder.read(manifest.log.file) })) {
      batch.push(JSON.parse(line) as CopiedMessage);
      if (batch.length < messagesAtOnce) continue;
      await stream.putBack(batch);
      batch = [];
    }
    if (batch.length > 0) await stream.putBack(batch);
    report(`log: ${manifest.log.messages} messages wait for the worker`);
  } finally {
    await stream.close();
  }
}

/** Each server in the backup with its target, matched by name; hosts may differ. */
function ledgersOf(settings: Settings, { postgres, shards = {} }: Manifest) {
  const copied = new Map(Object.entries({ [homeShard]: postgres, ...shards }));
  const servers = serversOf(settings);
  const names = new Set(servers.map(({ name }) => name));
  const missing = [...copied.keys()].filter((name) => !names.has(name));
  if (missing.length > 0)
    throw new WrongSettings([`LEDGER_SHARDS must name ${missing.join(', ')}, which the backup holds`]);
  return servers.flatMap((server) => {
    const theirs = copied.get(server.name);
    return theirs ? [{ ...server, copied: theirs }] : [];
  });
}

/** ENCRYPTION_KEYS at the time of the backup. */
export const keysIn = (folder: BackupFolder, { keys }: Manifest): Promise<string> => folder.readText(keys.file);

/** With other keys no secret of the backup could be decrypted, which would only be noticed when one is needed. */
async function refuseOtherKeys(settings: Settings, folder: BackupFolder, manifest: Manifest): Promise<void> {
  const [newest = ''] = (await keysIn(folder, manifest)).split(',');
  const ours = (settings.encryptionKeys ?? []).map(({ id, bytes }) => `${id}:${bytes.toString('base64')}`);
  if (newest && !ours.includes(newest))
    throw new WrongSettings([
      'ENCRYPTION_KEYS must hold the keys that the backup was made with: "tributary restore --keys-only" prints them',
    ]);
}

function compare(where: string, wanted: Readonly<Record<string, unknown>>, found: Readonly<Record<string, unknown>>) {
  const wrong = Object.keys(wanted).filter((name) => wanted[name] !== found[name]);
  if (wrong.length > 0)
    throw new Error(
      `${where} is not as it was: ${wrong.map((name) => `${name} has ${found[name]} instead of ${wanted[name]}`).join(', ')}.`,
    );
}
