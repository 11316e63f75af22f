import type { CopiedPartition } from '@tributary/clickhouse';
import { type BackupFolder, manifestsFolder, type Written } from '@tributary/platform';

/** What a backup consists of. It is written last: without it there is no backup. */
export interface Manifest {
  readonly id: string;
  readonly version: string;
  /** All that was answered with a 2xx before this moment is in it. */
  readonly takenAt: string;
  readonly heldMs: number;
  readonly postgres: CopiedLedger;
  /** The further servers of the ledger by their names; absent in backups from before there were any. */
  readonly shards?: Readonly<Record<string, CopiedLedger>>;
  readonly clickhouse: {
    readonly migrations: readonly string[];
    readonly partitions: readonly (CopiedPartition & Written)[];
  };
  /** Visits that the log had taken and the worker had not handled yet, and dead letters. */
  readonly log: Written & { readonly messages: number };
  /** The keys of the settings, without which the secrets in PostgreSQL do not open. */
  readonly keys: Written;
}

export type CopiedLedger = Written & { readonly rows: Readonly<Record<string, number>> };

const fileOf = (id: string) => `${manifestsFolder}/${id}`;

export const filesOf = ({ postgres, shards = {}, clickhouse, log, keys }: Manifest): Written[] => [
  postgres,
  ...Object.values(shards),
  ...clickhouse.partitions,
  log,
  keys,
];

/** The oldest first. */
export const listBackups = (folder: BackupFolder): Promise<string[]> => folder.list(manifestsFolder);

export async function readManifest(folder: BackupFolder, id: string): Promise<Manifest> {
  const known = await listBackups(folder);
  const meant = id === 'latest' ? known.at(-1) : id;
  if (!meant || !known.includes(meant))
    throw new Error(known.length === 0 ? 'There is no backup there.' : `There is no backup "${id}" there.`);
  return JSON.parse(await folder.readText(fileOf(meant))) as Manifest;
}

export const writeManifest = (folder: BackupFolder, manifest: Manifest): Promise<Written> =>
  folder.write(fileOf(manifest.id), JSON.stringify(manifest));

export const removeManifest = (folder: BackupFolder, id: string): Promise<void> => folder.remove(fileOf(id));
