import type { BackupFolder } from './folder.ts';

/**
 * What must not come back with a backup: a file for each erasure and each deletion, written before either says that it is done. It names
 * nobody: a person stands in it by keyed hashes and by our own ids.
 */
export type Noted = ({ readonly kind: 'erasure' } & NotedErasure) | ({ readonly kind: 'deletion' } & NotedDeletion);

/** What the room of erasures wrote, which only it reads. */
interface NotedErasure {
  readonly note: { readonly erasureId: string };
}

interface NotedDeletion {
  readonly tenantId: string;
  readonly isWorkspace: boolean;
}

const folderName = 'erased';

/** Noted a second time it is the same file. */
const fileOf = (name: string) => `${folderName}/${name}`;

async function keepNoted(folder: BackupFolder, noted: Noted): Promise<void> {
  const name = noted.kind === 'erasure' ? noted.note.erasureId : noted.tenantId;
  await folder.write(fileOf(name), JSON.stringify(noted));
}

export async function readNoted(folder: BackupFolder): Promise<Noted[]> {
  const all: Noted[] = [];
  for (const name of await folder.list(folderName)) all.push(JSON.parse(await folder.readText(fileOf(name))) as Noted);
  return all;
}

/** A note is needed as long as there may be a backup from before it. */
export async function forgetNoted(folder: BackupFolder, before: Date): Promise<void> {
  for (const name of await folder.list(folderName))
    if ((await folder.writtenAt(fileOf(name))) < before) await folder.remove(fileOf(name));
}

/** What rooms call before they say that somebody or something is gone; nothing where no folder is set. */
export const keepsNotes = (folder: BackupFolder | undefined) => ({
  erased: folder && ((note: NotedErasure['note']) => keepNoted(folder, { kind: 'erasure', note })),
  deleted:
    folder &&
    (({ tenantId, isWorkspace }: NotedDeletion) => keepNoted(folder, { kind: 'deletion', tenantId, isWorkspace })),
});
