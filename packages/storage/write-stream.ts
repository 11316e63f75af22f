import { PassThrough, type Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Storage } from './storage.ts';

/** Writes the output of the last of these streams. A failure of the source or of the storage ends the other, and is thrown. */
export async function writeStream(
  storage: Storage,
  file: string,
  source: Readable,
  ...steps: readonly Transform[]
): Promise<number> {
  const output = new PassThrough();
  const [piped, written] = await Promise.allSettled([
    pipeline([source, ...steps, output]),
    storage.write(file, output),
  ]);
  if (written.status === 'rejected') throw written.reason;
  if (piped.status === 'rejected') throw piped.reason;
  return written.value;
}
