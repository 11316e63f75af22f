import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { type Settings, WrongSettings } from '@tributary/config';
import { Meter, openStorage, readText, type Storage, writeStream } from '@tributary/storage';
import { type MasterKey, openFile, sealFile } from '@tributary/vault';

/** A file of a backup, with which it is verified when it is read back. */
export interface BackupFile {
  readonly file: string;
  /** Size before compression and encryption. */
  readonly bytes: number;
  readonly sha256: string;
}

/** A folder or bucket of compressed, encrypted files. Writes are atomic, and files are never modified. */
export interface BackupFolder {
  write(file: string, content: Readable | string): Promise<BackupFile>;
  read(file: string): Readable;
  readText(file: string): Promise<string>;
  /** Reads the stored file to its end and compares size and hash. */
  verify(written: BackupFile): Promise<void>;
  /** File names of a subfolder, sorted. */
  list(folder: string): Promise<string[]>;
  writtenAt(file: string): Promise<Date>;
  remove(file: string): Promise<void>;
}

/** Limit for manifests, markers and keys. A larger file is invalid and must not exhaust memory. */
const maxTextBytes = 64 << 20;

export function openBackupFolder(storage: Storage, keys: readonly MasterKey[]): BackupFolder {
  const read = (file: string): Readable => {
    const out = new PassThrough();
    // An error in the pipeline destroys `out`, where the reader notices it.
    pipeline(storage.read(file), openFile(keys, file), createZstdDecompress(), out).catch(() => {});
    return out;
  };
  return {
    read,
    async write(file, content) {
      const meter = new Meter();
      const source = typeof content === 'string' ? Readable.from([Buffer.from(content)]) : content;
      await writeStream(storage, file, source, meter, createZstdCompress(), sealFile(keys, file));
      return { file, ...meter.result() };
    },
    readText: (file) =>
      readText(read(file), maxTextBytes).catch((cause: unknown) => {
        if (!(cause instanceof RangeError)) throw cause;
        throw new Error(`${file} is too large for a text file of a backup.`, { cause });
      }),
    async verify({ file, bytes, sha256 }) {
      const meter = new Meter();
      meter.resume();
      await pipeline(read(file), meter);
      const actual = meter.result();
      if (actual.bytes !== bytes || actual.sha256 !== sha256)
        throw new Error(`${file} reads back as something else than was written.`);
    },
    list: (folder) => storage.list(folder),
    writtenAt: (file) => storage.writtenAt(file),
    remove: (file) => storage.remove(file),
  };
}

/** Returns undefined if the settings name no backup folder. */
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

/** The folder of backup descriptions. A description is written when the whole backup has been verified. */
export const manifestsFolder = 'backups';

/** Returns the epoch if there is no backup. */
export async function newestBackupAt(folder: BackupFolder): Promise<Date> {
  const newest = (await folder.list(manifestsFolder)).at(-1);
  return newest ? folder.writtenAt(`${manifestsFolder}/${newest}`) : new Date(0);
}
