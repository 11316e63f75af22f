import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { trackerScript } from '@tributary/tracker';

const plain = Buffer.from(trackerScript);
const digest = createHash('sha256').update(plain).digest('base64url').slice(0, 22);

export interface Packed {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly encoding: 'br' | 'gzip' | undefined;
}

const packed = (encoding: Packed['encoding'], bytes: Buffer): Packed => ({
  bytes,
  encoding,
  // Other bytes, another tag: a cache between us and two browsers must not mix them up.
  etag: `"${digest}${encoding ? `-${encoding}` : ''}"`,
});

/** Best first. Made once, when the process starts: the script is the same for everybody. */
const forms: readonly Packed[] = [
  packed('br', brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })),
  packed('gzip', gzipSync(plain, { level: 9 })),
];
const asItIs = packed(undefined, plain);

/** The browser script, as GET /t.js serves it to one that accepts these encodings. */
export function scriptFor(accepted: string | undefined): Packed {
  const words = (accepted ?? '').toLowerCase().split(',').map(readWord);
  const takes = (encoding: string) => {
    const named = words.find(({ name }) => name === encoding) ?? words.find(({ name }) => name === '*');
    return named !== undefined && named.weight > 0;
  };
  return forms.find(({ encoding }) => encoding && takes(encoding)) ?? asItIs;
}

function readWord(word: string): { readonly name: string; readonly weight: number } {
  const [name = '', ...parameters] = word.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return { name, weight: weight === undefined ? 1 : Number(weight) || 0 };
}
