import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { FileNotFound, type Storage } from './storage.ts';

const unfinishedSuffix = '.unfinished';

/** A local folder. `isPrivate` restricts it to its owner. */
export function openFolder(root: string, { isPrivate }: { readonly isPrivate: boolean }): Storage {
  const [folderMode, fileMode] = isPrivate ? [0o700, 0o600] : [0o777, 0o666];
  const at = (file: string) => join(root, file);
  return {
    async write(file, content) {
      const path = at(file);
      await mkdir(dirname(path), { recursive: true, mode: folderMode });
      const unfinished = `${path}.${randomBytes(4).toString('hex')}${unfinishedSuffix}`;
      try {
        await pipeline(content, createWriteStream(unfinished, { mode: fileMode, flags: 'wx' }));
        await syncToDisk(unfinished);
        const { size } = await stat(unfinished);
        await rename(unfinished, path);
        await syncToDisk(dirname(path));
        return size;
      } catch (error) {
        await rm(unfinished, { force: true });
        throw error;
      }
    },
    read: (file) => Readable.from(chunksOf(at(file), file), { objectMode: false }),
    async list(folder) {
      const entries = await readdir(at(folder), { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return [];
        throw error;
      });
      return entries
        .filter((entry) => entry.isFile() && !entry.name.endsWith(unfinishedSuffix))
        .map(({ name }) => name)
        .sort();
    },
    writtenAt: async (file) =>
      (
        await stat(at(file)).catch((error: NodeJS.ErrnoException) => {
          throw toStorageError(error, file);
        })
      ).mtime,
    remove: (file) => rm(at(file), { force: true }),
  };
}

async function* chunksOf(path: string, file: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path);
  } catch (error) {
    throw toStorageError(error as NodeJS.ErrnoException, file);
  }
}

const toStorageError = (error: NodeJS.ErrnoException, file: string): Error =>
  error.code === 'ENOENT' ? new FileNotFound(file, { cause: error }) : error;

async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}
