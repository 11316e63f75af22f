import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import aws4 from 'aws4';

/** The fault injected into a request: its connection ends before it is handled, after it is handled, or in the middle of the response. */
export type S3Fault = 'before' | 'after' | 'amid' | undefined;

interface StoredObject {
  readonly body: Buffer;
  readonly at: Date;
  readonly tag: string;
}

class S3Error extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

const credentials = { accessKeyId: 'AKIATEST', secretAccessKey: 'a secret/of+the tests' };
const region = 'eu-test-1';
/** Small, so that listing even a few objects takes several pages. */
const pageSize = 3;

/**
 * One bucket of S3-compatible storage over HTTP, in memory. Signatures are verified over the received bytes with a library independent of ours.
 * Multipart uploads follow the real rules: all parts but the last have one size, and completion names every part with its ETag.
 */
export class S3Server {
  readonly bucket = 'shop-backups';
  readonly objects = new Map<string, StoredObject>();
  readonly uploads = new Map<string, Map<number, StoredObject>>();
  readonly asked: string[] = [];
  fault: (method: string, path: string) => S3Fault = () => undefined;
  endpoint = '';
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  async open(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.endpoint = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  /** The settings as an operator would set them. */
  get environment() {
    return {
      S3_ENDPOINT: this.endpoint,
      S3_REGION: region,
      S3_ACCESS_KEY_ID: credentials.accessKeyId,
      S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    };
  }

  get settings() {
    const { S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = this.environment;
    return {
      s3Endpoint: S3_ENDPOINT,
      s3Region: S3_REGION,
      s3AccessKeyId: S3_ACCESS_KEY_ID,
      s3SecretAccessKey: S3_SECRET_ACCESS_KEY,
    };
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '' } = request;
    this.asked.push(`${method} ${path}`);
    const fault = this.fault(method, path);
    if (fault === 'before') return void request.socket.destroy();
    const body = await buffer(request);
    let answer: { status: number; headers?: Record<string, string>; body?: Buffer };
    try {
      assertSigned(request, body);
      answer = this.#handle(method, new URL(path, this.endpoint), request, body);
    } catch (error) {
      if (!(error instanceof S3Error)) throw error;
      answer = { status: error.status, body: Buffer.from(`<Error><Code>${error.code}</Code></Error>`) };
    }
    if (fault === 'after') return void request.socket.destroy();
    const sent = answer.body ?? Buffer.alloc(0);
    response.writeHead(answer.status, { 'content-length': String(sent.length), ...answer.headers });
    if (fault === 'amid')
      return void response.write(sent.subarray(0, sent.length >> 1), () => request.socket.destroy());
    response.end(method === 'HEAD' ? undefined : sent);
  }

  #handle(method: string, url: URL, { headers }: IncomingMessage, body: Buffer) {
    const [, bucket = '', ...rest] = decodeURIComponent(url.pathname).split('/');
    if (bucket !== this.bucket) throw new S3Error(404, 'NoSuchBucket');
    const key = rest.join('/');
    const { searchParams: query } = url;
    const uploadId = query.get('uploadId');
    if (method === 'GET' && key === '') return this.#list(query);
    if (method === 'POST' && query.has('uploads')) {
      const id = randomUUID();
      this.uploads.set(id, new Map());
      return { status: 200, body: Buffer.from(`<UploadId>${id}</UploadId>`) };
    }
    if (uploadId) return this.#upload(method, key, uploadId, Number(query.get('partNumber')), body);
    if (method === 'PUT') {
      const stored = store(body);
      this.objects.set(key, stored);
      return { status: 200, headers: { etag: stored.tag } };
    }
    if (method === 'DELETE') {
      this.objects.delete(key);
      return { status: 204 };
    }
    const found = this.objects.get(key);
    if (!found) throw new S3Error(404, 'NoSuchKey');
    const about = { etag: found.tag, 'last-modified': found.at.toUTCString() };
    if (method === 'HEAD') return { status: 200, headers: { ...about, 'content-length': String(found.body.length) } };
    if (headers['if-match'] && headers['if-match'] !== found.tag) throw new S3Error(412, 'PreconditionFailed');
    const [, from = 0, to = 0] = (/^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []).map(Number);
    if (from >= found.body.length) throw new S3Error(416, 'InvalidRange');
    const part = found.body.subarray(from, to + 1);
    const range = `bytes ${from}-${from + part.length - 1}/${found.body.length}`;
    return { status: 206, headers: { ...about, 'content-range': range }, body: part };
  }

  #upload(method: string, key: string, uploadId: string, number: number, body: Buffer) {
    const parts = this.uploads.get(uploadId);
    if (!parts) throw new S3Error(404, 'NoSuchUpload');
    if (method === 'PUT') {
      const stored = store(body);
      parts.set(number, stored);
      return { status: 200, headers: { etag: stored.tag } };
    }
    this.uploads.delete(uploadId);
    if (method === 'DELETE') return { status: 204 };
    const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag>/g)];
    const chosen = named.map(([, n, tag]) => {
      const part = parts.get(Number(n));
      if (part?.tag !== tag) throw new S3Error(400, 'InvalidPart');
      return part?.body ?? Buffer.alloc(0);
    });
    if (chosen.slice(0, -1).some(({ length }) => length !== chosen[0]?.length)) throw new S3Error(400, 'InvalidPart');
    this.objects.set(key, store(Buffer.concat(chosen)));
    return { status: 200, body: Buffer.from('<CompleteMultipartUploadResult></CompleteMultipartUploadResult>') };
  }

  #list(query: URLSearchParams) {
    const prefix = query.get('prefix') ?? '';
    const after = query.get('continuation-token') ?? '';
    const under = [...this.objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    const direct = under.filter((key) => !key.slice(prefix.length).includes('/'));
    const page = direct.slice(0, pageSize);
    const keys = page.map((key) => `<Contents><Key>${encodeURIComponent(key)}</Key></Contents>`).join('');
    const next = direct.length > pageSize ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
    return { status: 200, body: Buffer.from(`<ListBucketResult>${keys}${next}</ListBucketResult>`) };
  }
}

function store(body: Buffer): StoredObject {
  return { body, at: new Date(), tag: `"${createHash('md5').update(body).digest('hex')}"` };
}

function assertSigned({ method = '', url = '', headers }: IncomingMessage, body: Buffer): void {
  const { authorization = '' } = headers;
  const [, id, names = ''] = /Credential=([^/]+)\/.*SignedHeaders=([^,]+),/.exec(authorization) ?? [];
  if (id !== credentials.accessKeyId) throw new S3Error(403, 'InvalidAccessKeyId');
  if (headers['x-amz-content-sha256'] !== createHash('sha256').update(body).digest('hex'))
    throw new S3Error(400, 'XAmzContentSHA256Mismatch');
  const signed = Object.fromEntries(names.split(';').map((name) => [name, String(headers[name])]));
  const again = aws4.sign({ method, path: url, headers: signed, service: 's3', region }, credentials);
  const signatureOf = (text: unknown) => /Signature=([0-9a-f]+)/.exec(String(text))?.[1];
  if (signatureOf(authorization) !== signatureOf(again.headers?.Authorization))
    throw new S3Error(403, 'SignatureDoesNotMatch');
}
