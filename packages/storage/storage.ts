import type { Readable } from 'node:stream';

/** Files that appear whole or not at all. A name is a path with `/` between its words, such as `files/a`. */
export interface Storage {
  /** What was there under the name is replaced. Resolves to how many bytes it has when they are safe. */
  write(file: string, content: Readable): Promise<number>;
  /** Fails in the reading, not here: with `NotThere` where there is no such file. */
  read(file: string): Readable;
  /** Names of the files in a folder of it, sorted; folders in it are not among them. */
  list(folder: string): Promise<string[]>;
  writtenAt(file: string): Promise<Date>;
  /** One that is not there is gone already. */
  remove(file: string): Promise<void>;
}

export class NotThere extends Error {
  override readonly name = 'NotThere';
  constructor(file: string, options?: ErrorOptions) {
    super(`There is no file "${file}" there.`, options);
  }
}

/** The storage does not do what was asked; the message is for the operator. */
export class StorageRefused extends Error {
  override readonly name = 'StorageRefused';
}
