import { type BackupFolder, manifestsFolder, type BackupFile as WrittenFile } from '@tributary/platform';
import { z } from 'zod';

/** File names of a backup. A manifest cannot name files outside the folder. */
const Name = z.string().regex(/^files\/[^./\\\0][^/\\\0]*$/, 'is not a file name of a backup');
const Count = z.int().nonnegative();
const Written = z.object({ file: Name, bytes: Count, sha256: z.hash('sha256') });
const CopiedLedger = Written.extend({ rows: z.record(z.string(), Count) });
const Partition = Written.extend({
  table: z.string().regex(/^\w+$/),
  node: Count.exactOptional(),
  partition: z.string(),
  fingerprint: z.string(),
  rows: Count,
  hash: z.string().regex(/^\d{1,20}$/),
});

/** The contents of a backup. Written last: a backup without it does not exist. */
const Manifest = z.object({
  id: z.string(),
  version: z.string(),
  /** The backup contains every request that was answered with a 2xx before this moment. */
  takenAt: z.iso.datetime(),
  heldMs: z.number(),
  postgres: CopiedLedger,
  /** The additional servers of the ledger by name; absent in backups made before sharding existed. */
  shards: z.record(z.string(), CopiedLedger).exactOptional(),
  clickhouse: z.object({ migrations: z.array(z.string()), partitions: z.array(Partition) }),
  /** Visits that the stream had accepted and the worker had not processed yet, and dead letters. */
  log: Written.extend({ messages: Count }),
  /** The encryption keys of the settings, without which the secrets in PostgreSQL cannot be decrypted. */
  keys: Written,
});
export type Manifest = z.infer<typeof Manifest>;
export type CopiedLedger = z.infer<typeof CopiedLedger>;

const fileOf = (id: string) => `${manifestsFolder}/${id}`;

export const filesOf = ({ postgres, shards = {}, clickhouse, log, keys }: Manifest): WrittenFile[] => [
  postgres,
  ...Object.values(shards),
  ...clickhouse.partitions,
  log,
  keys,
];

/** Oldest first. */
export const listBackups = (folder: BackupFolder): Promise<string[]> => folder.list(manifestsFolder);

export async function readManifest(folder: BackupFolder, id: string): Promise<Manifest> {
  const known = await listBackups(folder);
  const meant = id === 'latest' ? known.at(-1) : id;
  if (!meant || !known.includes(meant))
    throw new Error(known.length === 0 ? 'There is no backup there.' : `There is no backup "${id}" there.`);
  return parseManifest(meant, await folder.readText(fileOf(meant)));
}

/** Validates the manifest. Encryption proves who wrote it, but not that it is correct. */
function parseManifest(id: string, text: string): Manifest {
  const result = Manifest.safeParse(parseJson(text));
  const fault = result.success
    ? result.data.id !== id && 'id'
    : result.error.issues[0]?.path.join('.') || 'the file is not JSON';
  if (!result.success || fault) throw new Error(`The manifest of the backup "${id}" is invalid: ${fault}.`);
  return result.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const writeManifest = (folder: BackupFolder, manifest: Manifest): Promise<WrittenFile> =>
  folder.write(fileOf(manifest.id), JSON.stringify(manifest));

export const removeManifest = (folder: BackupFolder, id: string): Promise<void> => folder.remove(fileOf(id));
