import { Readable, type Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { constants, createBrotliCompress, createDeflate, createGzip, createZstdCompress, gzipSync } from 'node:zlib';

export interface Bomb {
  /** Value of `Content-Encoding`. */
  readonly encoding: string;
  readonly bytes: Buffer;
}

/** Decompressed size of each bomb, at least a thousand times its compressed size. */
export const bombBytes = 64 << 20;

function* document(): Generator<Buffer> {
  yield Buffer.from('{"a":"');
  const zeros = Buffer.alloc(1 << 20, 48);
  for (let written = 0; written < bombBytes; written += zeros.length) yield zeros;
  yield Buffer.from('"}');
}

/** Compresses in chunks. The whole document must not be in memory, or decompression would not show as growth. */
const compress = (compressor: Transform): Promise<Buffer> =>
  buffer(Readable.from(document(), { objectMode: false }).pipe(compressor));

/** A JSON document with one long string, in every HTTP content encoding. */
export async function makeBombs(): Promise<Bomb[]> {
  const { BROTLI_PARAM_QUALITY } = constants;
  const gzipped = await compress(createGzip());
  return [
    { encoding: 'gzip', bytes: gzipped },
    { encoding: 'deflate', bytes: await compress(createDeflate()) },
    { encoding: 'br', bytes: await compress(createBrotliCompress({ params: { [BROTLI_PARAM_QUALITY]: 3 } })) },
    { encoding: 'zstd', bytes: await compress(createZstdCompress()) },
    // Compressed twice: the first decompression yields a bomb.
    { encoding: 'gzip, gzip', bytes: gzipSync(gzipped) },
  ];
}

/** Peak growth of the process memory in bytes while `work` runs. */
export async function growthDuring(work: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 5);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return Math.max(peak, process.memoryUsage.rss()) - before;
}
