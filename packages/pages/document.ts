import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** A document in one encoding. */
export interface DocumentForm {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly encoding: 'br' | 'gzip' | undefined;
}

/** A static document, compressed once per process. */
export interface StaticDocument {
  /** In order of preference. */
  readonly forms: readonly DocumentForm[];
  readonly plain: DocumentForm;
}

/** Above this size, the highest compression level costs more time than it saves. */
const largeBytes = 64 * 1_024;

export async function packDocument(content: Buffer | string): Promise<StaticDocument> {
  const plain = Buffer.from(content);
  const digest = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
  const form = (encoding: DocumentForm['encoding'], bytes: Buffer): DocumentForm => ({
    bytes,
    encoding,
    // One ETag per encoding, so that caches do not mix up encodings.
    etag: `"${digest}${encoding ? `-${encoding}` : ''}"`,
  });
  const quality = plain.length > largeBytes ? 9 : constants.BROTLI_MAX_QUALITY;
  const [brotli, gzipped] = await Promise.all([
    promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }),
    promisify(gzip)(plain, { level: 9 }),
  ]);
  return { forms: [form('br', brotli), form('gzip', gzipped)], plain: form(undefined, plain) };
}

/** The best form for an Accept-Encoding header. */
export function chooseForm({ forms, plain }: StaticDocument, accepted: string | undefined): DocumentForm {
  const tokens = (accepted ?? '').toLowerCase().split(',').map(parseToken);
  const accepts = (encoding: string) => {
    const named = tokens.find(({ name }) => name === encoding) ?? tokens.find(({ name }) => name === '*');
    return named !== undefined && named.weight > 0;
  };
  return forms.find(({ encoding }) => encoding && accepts(encoding)) ?? plain;
}

function parseToken(token: string): { readonly name: string; readonly weight: number } {
  const [name = '', ...parameters] = token.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return { name, weight: weight === undefined ? 1 : Number(weight) || 0 };
}

/** Whether an If-None-Match header matches the form. Proxies that recompress a response mark the tag with `W/`. */
export const isCurrent = (tags: string | undefined, { etag }: DocumentForm): boolean =>
  tags?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag) ?? false;
