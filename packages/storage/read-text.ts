import type { Readable } from 'node:stream';

/** Reads a text completely, up to a limit: the content of storages and archives is untrusted and could exhaust memory. */
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
