import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { type Settings, WrongSettings } from '@tributary/config';
import { Meter, openStorage, readText, type Storage, writeMade } from '@tributary/storage';
import { type MasterKey, openFile, sealFile } from '@tributary/vault';

/** What was written, by which it is known again when it is read back. */
export interface Written {
  readonly file: string;
  /** Before it was compressed and sealed. */
  readonly bytes: number;
  readonly sha256: string;
}

/** A folder or bucket whose files are compressed and sealed, and appear whole or not at all. None is ever changed. */
export interface BackupFolder {
  write(file: string, content: Readable | string): Promise<Written>;
  read(file: string): Readable;
  readText(file: string): Promise<string>;
  /** Reads the file from where it is kept, to its end, and compares. */
  verify(written: Written): Promise<void>;
  /** Names in a folder of it, sorted. */
  list(folder: string): Promise<string[]>;
  writtenAt(file: string): Promise<Date>;
  remove(file: string): Promise<void>;
}

/** Limit for manifests, markers and keys. A larger file is invalid and must not exhaust memory. */
const mostTextBytes = 64 << 20;

export function openBackupFolder(storage: Storage, keys: readonly MasterKey[]): BackupFolder {
  const read = (file: string): Readable => {
    const out = new PassThrough();
    // A failure on the way ends the last of them, which is where it is noticed.
    pipeline(storage.read(file), openFile(keys, file), createZstdDecompress(), out).catch(() => {});
    return out;
  };
  return {
    read,
    async write(file, content) {
      const meter = new Meter();
      const source = typeof content === 'string' ? Readable.from([Buffer.from(content)]) : content;
      await writeMade(storage, file, source, meter, createZstdCompress(), sealFile(keys, file));
      return { file, ...meter.result() };
    },
    readText: (file) =>
      readText(read(file), mostTextBytes).catch((cause: unknown) => {
        if (!(cause instanceof RangeError)) throw cause;
        throw new Error(`${file} is too large for a text file of a backup.`, { cause });
      }),
    async verify({ file, bytes, sha256 }) {
      const meter = new Meter();
      meter.resume();
      await pipeline(read(file), meter);
      const found = meter.result();
      if (found.bytes !== bytes || found.sha256 !== sha256)
        throw new Error(`${file} reads back as something else than was written.`);
    },
    list: (folder) => storage.list(folder),
    writtenAt: (file) => storage.writtenAt(file),
    remove: (file) => storage.remove(file),
  };
}

/** Undefined where the settings name none. */
export const findBackupFolder = (settings: Settings): BackupFolder | undefined =>
  settings.backupFolder && settings.backupKeys
    ? openBackupFolder(openStorage(settings.backupFolder, settings, { isPrivate: true }), settings.backupKeys)
    : undefined;

export function configuredBackupFolder(settings: Settings): BackupFolder {
  const folder = findBackupFolder(settings);
  if (!folder)
    throw new WrongSettings([
      'BACKUP_FOLDER must name a folder or a bucket, and BACKUP_KEYS must be set, for example to "b1:" and the output of "openssl rand -base64 32"',
    ]);
  return folder;
}

/** Where the descriptions of whole backups are: one is written when all of it was read back. */
export const manifestsFolder = 'backups';

/** The beginning of time, where there is none. */
export async function newestBackupAt(folder: BackupFolder): Promise<Date> {
  const newest = (await folder.list(manifestsFolder)).at(-1);
  return newest ? folder.writtenAt(`${manifestsFolder}/${newest}`) : new Date(0);
}
