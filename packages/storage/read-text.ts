import type { Readable } from 'node:stream';

/** A text as a whole. One that is longer than it may be fails, before it fills the memory: storages and packed files hold what others wrote. */
export async function readText(stream: Readable, mostBytes: number): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of stream as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > mostBytes) throw new RangeError(`The file is larger than ${mostBytes} bytes.`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
