import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** The bytes of a document as one kind of client gets them. */
export interface DocumentForm {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly encoding: 'br' | 'gzip' | undefined;
}

/** What is the same for everybody as long as the process runs: compressed once, then only sent. */
export interface StaticDocument {
  /** Best first. */
  readonly forms: readonly DocumentForm[];
  readonly plain: DocumentForm;
}

/** From here on the last percent of compression costs more time than it saves. */
const largeBytes = 64 * 1_024;

export async function packDocument(content: Buffer | string): Promise<StaticDocument> {
  const plain = Buffer.from(content);
  const digest = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
  const form = (encoding: DocumentForm['encoding'], bytes: Buffer): DocumentForm => ({
    bytes,
    encoding,
    // Other bytes, another tag: a cache between us and two browsers must not mix them up.
    etag: `"${digest}${encoding ? `-${encoding}` : ''}"`,
  });
  const quality = plain.length > largeBytes ? 9 : constants.BROTLI_MAX_QUALITY;
  const [brotli, gzipped] = await Promise.all([
    promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }),
    promisify(gzip)(plain, { level: 9 }),
  ]);
  return { forms: [form('br', brotli), form('gzip', gzipped)], plain: form(undefined, plain) };
}

/** The form for a client that accepts these encodings. */
export function chooseForm({ forms, plain }: StaticDocument, accepted: string | undefined): DocumentForm {
  const words = (accepted ?? '').toLowerCase().split(',').map(readWord);
  const takes = (encoding: string) => {
    const named = words.find(({ name }) => name === encoding) ?? words.find(({ name }) => name === '*');
    return named !== undefined && named.weight > 0;
  };
  return forms.find(({ encoding }) => encoding && takes(encoding)) ?? plain;
}

function readWord(word: string): { readonly name: string; readonly weight: number } {
  const [name = '', ...parameters] = word.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return { name, weight: weight === undefined ? 1 : Number(weight) || 0 };
}

/** Whether a client that sends these tags in If-None-Match has the form. A proxy that compressed it again says so with `W/`. */
export const isCurrent = (tags: string | undefined, { etag }: DocumentForm): boolean =>
  tags?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag) ?? false;
