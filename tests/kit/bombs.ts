import { Readable, type Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { constants, createBrotliCompress, createDeflate, createGzip, createZstdCompress, gzipSync } from 'node:zlib';

export interface Bomb {
  /** As `Content-Encoding` names it. */
  readonly encoding: string;
  readonly bytes: Buffer;
}

/** What the bombs unpack to: at least a thousand times as much as they are. */
export const bombBytes = 64 << 20;

function* document(): Generator<Buffer> {
  yield Buffer.from('{"a":"');
  const zeros = Buffer.alloc(1 << 20, 48);
  for (let made = 0; made < bombBytes; made += zeros.length) yield zeros;
  yield Buffer.from('"}');
}

/** In pieces, so that memory never held the whole and shows it when somebody unpacks one. */
const packed = (packer: Transform): Promise<Buffer> =>
  buffer(Readable.from(document(), { objectMode: false }).pipe(packer));

/** A JSON document of one long text, packed in every way that HTTP knows. */
export async function makeBombs(): Promise<Bomb[]> {
  const { BROTLI_PARAM_QUALITY } = constants;
  const gzipped = await packed(createGzip());
  return [
    { encoding: 'gzip', bytes: gzipped },
    { encoding: 'deflate', bytes: await packed(createDeflate()) },
    { encoding: 'br', bytes: await packed(createBrotliCompress({ params: { [BROTLI_PARAM_QUALITY]: 3 } })) },
    { encoding: 'zstd', bytes: await packed(createZstdCompress()) },
    // Packed twice, it unpacks to a bomb.
    { encoding: 'gzip, gzip', bytes: gzipSync(gzipped) },
  ];
}

/** By how many bytes the process grew at most while `work` ran. */
export async function growthDuring(work: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 5);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return Math.max(most, process.memoryUsage.rss()) - before;
}
