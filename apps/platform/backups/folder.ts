import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PassThrough, Readable, Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { type Settings, WrongSettings } from '@tributary/config';
import { type MasterKey, openFile, sealFile } from '@tributary/vault';

/** What was written, by which it is known again when it is read back. */
export interface Written {
  readonly file: string;
  /** Before it was compressed and sealed. */
  readonly bytes: number;
  readonly sha256: string;
}

/** A folder whose files are compressed and sealed, and appear whole or not at all. None is ever changed. */
export interface BackupFolder {
  write(file: string, content: Readable | string): Promise<Written>;
  read(file: string): Readable;
  readText(file: string): Promise<string>;
  /** Reads the file from the disk, to its end, and compares. */
  verify(written: Written): Promise<void>;
  /** Names in a folder of it, sorted. */
  list(folder: string): Promise<string[]>;
  writtenAt(file: string): Promise<Date>;
  remove(file: string): Promise<void>;
}

export function openBackupFolder(root: string, keys: readonly MasterKey[]): BackupFolder {
  const at = (file: string) => join(root, file);
  const read = (file: string): Readable => {
    const out = new PassThrough();
    // A failure on the way ends the last of them, which is where it is noticed.
    pipeline(createReadStream(at(file)), openFile(keys, file), createZstdDecompress(), out).catch(() => {});
    return out;
  };
  return {
    read,
    async write(file, content) {
      const path = at(file);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const unfinished = `${path}.${randomBytes(4).toString('hex')}.unfinished`;
      const meter = new Meter();
      try {
        const source = typeof content === 'string' ? Readable.from([Buffer.from(content)]) : content;
        const target = createWriteStream(unfinished, { mode: 0o600, flags: 'wx' });
        await pipeline(source, meter, createZstdCompress(), sealFile(keys, file), target);
        await onDisk(unfinished);
        await rename(unfinished, path);
        await onDisk(dirname(path));
      } catch (error) {
        await rm(unfinished, { force: true });
        throw error;
      }
      return { file, ...meter.result() };
    },
    readText: async (file) => (await buffer(read(file))).toString('utf8'),
    async verify({ file, bytes, sha256 }) {
      const meter = new Meter();
      meter.resume();
      await pipeline(read(file), meter);
      const found = meter.result();
      if (found.bytes !== bytes || found.sha256 !== sha256)
        throw new Error(`${file} reads back as something else than was written.`);
    },
    async list(folder) {
      const names = await readdir(at(folder)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return [];
        throw error;
      });
      return names.filter((name) => !name.endsWith('.unfinished')).sort();
    },
    writtenAt: async (file) => (await stat(at(file))).mtime,
    remove: (file) => rm(at(file), { force: true }),
  };
}

/** Undefined where the settings name none. */
export const findBackupFolder = ({ backupFolder, backupKeys }: Settings): BackupFolder | undefined =>
  backupFolder && backupKeys ? openBackupFolder(backupFolder, backupKeys) : undefined;

export function configuredBackupFolder(settings: Settings): BackupFolder {
  const folder = findBackupFolder(settings);
  if (!folder)
    throw new WrongSettings([
      'BACKUP_FOLDER must name a folder, and BACKUP_KEYS must be set, for example to "b1:" and the output of "openssl rand -base64 32"',
    ]);
  return folder;
}

/** Counts and hashes what goes through. */
class Meter extends Transform {
  readonly #hash = createHash('sha256');
  #bytes = 0;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: (error: null, chunk: Buffer) => void): void {
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
    done(null, chunk);
  }

  result() {
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }
}

async function onDisk(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}

/** Where the descriptions of whole backups are: one is written when all of it was read back. */
export const manifestsFolder = 'backups';

/** The beginning of time, where there is none. */
export async function newestBackupAt(folder: BackupFolder): Promise<Date> {
  const newest = (await folder.list(manifestsFolder)).at(-1);
  return newest ? folder.writtenAt(`${manifestsFolder}/${newest}`) : new Date(0);
}
