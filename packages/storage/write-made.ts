import { PassThrough, type Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Storage } from './storage.ts';

/** Writes what comes out of the last of these streams. Whoever fails, the maker or the storage, ends the other and is told. */
export async function writeMade(
  storage: Storage,
  file: string,
  source: Readable,
  ...steps: readonly Transform[]
): Promise<number> {
  const made = new PassThrough();
  const [piped, kept] = await Promise.allSettled([pipeline([source, ...steps, made]), storage.write(file, made)]);
  if (kept.status === 'rejected') throw kept.reason;
  if (piped.status === 'rejected') throw piped.reason;
  return kept.value;
}
