import type { BackupFolder } from './folder.ts';

/**
 * The journal of deletions that a restored backup must apply again: one file per erasure and per deletion, written before either
 * reports completion. It contains no personal data, only keyed hashes and internal ids.
 */
export type DeletionNote =
  | ({ readonly kind: 'erasure' } & NotedErasure)
  | ({ readonly kind: 'deletion' } & NotedDeletion);

/** Written and read by the erasures module. */
interface NotedErasure {
  readonly note: { readonly erasureId: string };
}

interface NotedDeletion {
  readonly tenantId: string;
  readonly isWorkspace: boolean;
}

const folderName = 'erased';

/** The name depends only on the id, so writing a note twice yields the same file. */
const getFileName = (name: string) => `${folderName}/${name}`;

async function writeNote(folder: BackupFolder, noted: DeletionNote): Promise<void> {
  const name = noted.kind === 'erasure' ? noted.note.erasureId : noted.tenantId;
  await folder.write(getFileName(name), JSON.stringify(noted));
}

export async function readNoted(folder: BackupFolder): Promise<DeletionNote[]> {
  const all: DeletionNote[] = [];
  for (const name of await folder.list(folderName))
    all.push(JSON.parse(await folder.readText(getFileName(name))) as DeletionNote);
  return all;
}

/** Deletes notes that are older than the oldest backup. */
export async function forgetNoted(folder: BackupFolder, before: Date): Promise<void> {
  for (const name of await folder.list(folderName))
    if ((await folder.writtenAt(getFileName(name))) < before) await folder.remove(getFileName(name));
}

/** The callbacks with which modules record erasures and deletions; undefined if no backup folder is set. */
export const keepsNotes = (folder: BackupFolder | undefined) => ({
  erased: folder && ((note: NotedErasure['note']) => writeNote(folder, { kind: 'erasure', note })),
  deleted:
    folder &&
    (({ tenantId, isWorkspace }: NotedDeletion) => writeNote(folder, { kind: 'deletion', tenantId, isWorkspace })),
});
