import type { Readable } from 'node:stream';

/** Reads a whole text. It fails before a text over the limit fills the memory, because the content may come from an untrusted source. */
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
