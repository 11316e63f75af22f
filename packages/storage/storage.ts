import type { Readable } from 'node:stream';

/** Files that appear whole or not at all. A name is a path with `/` as separator, such as `files/a`. */
export interface Storage {
  /** Replaces an existing file. Resolves to the number of bytes once they are stored durably. */
  write(file: string, content: Readable): Promise<number>;
  /** Errors are raised while reading: `NotThere` if there is no such file. */
  read(file: string): Readable;
  /** The sorted names of the files in a folder, without subfolders. */
  list(folder: string): Promise<string[]>;
  writtenAt(file: string): Promise<Date>;
  /** Succeeds for a missing file. */
  remove(file: string): Promise<void>;
}

export class FileNotFound extends Error {
  override readonly name = 'NotThere';
  constructor(file: string, options?: ErrorOptions) {
    super(`There is no file "${file}" there.`, options);
  }
}

/** The storage refused the operation; the message is for the operator. */
export class StorageRefused extends Error {
  override readonly name = 'StorageRefused';
}
