import { Readable } from 'node:stream';
import {
  type Answer,
  type BucketSettings,
  defaultPartBytes,
  openRequests,
  readElement,
  type SendRequest,
} from './s3-requests.ts';
import { FileNotFound, type Storage, StorageRefused } from './storage.ts';

/** An upper limit for the files of a folder, so that a faulty listing ends. */
const maxNames = 500_000;

/**
 * S3-compatible storage. No file is in memory as a whole: it is uploaded in parts and downloaded in ranges, and each is retried separately.
 * A failed multipart upload is aborted, because the storage would charge for its parts.
 */
export function openBucket(settings: BucketSettings & { readonly prefix: string }): Storage {
  const { prefix, partBytes = defaultPartBytes } = settings;
  const request = openRequests(settings);
  const keyOf = (file: string) => (prefix === '' ? file : `${prefix}/${file}`);
  return {
    async write(file, content) {
      try {
        const parts = partsOf(content, partBytes);
        const first = (await parts.next()).value ?? Buffer.alloc(0);
        if (first.length === partBytes) return await sendParts(request, keyOf(file), first, parts);
        await request({ method: 'PUT', key: keyOf(file), body: first });
        return first.length;
      } finally {
        // Otherwise the source would wait forever for a reader.
        content.destroy();
      }
    },
    read: (file) => Readable.from(rangesOf(request, file, keyOf(file), partBytes), { objectMode: false }),
    async list(folder) {
      const under = `${keyOf(folder)}/`;
      const names: string[] = [];
      let previous: string | undefined;
      for (let nextToken: string | undefined = ''; nextToken !== undefined; ) {
        const { body }: Answer = await request({
          method: 'GET',
          key: '',
          query: {
            'list-type': '2',
            prefix: under,
            delimiter: '/',
            'encoding-type': 'url',
            ...(nextToken && { 'continuation-token': nextToken }),
          },
        });
        const text = body.toString('utf8');
        for (const [, key = ''] of text.matchAll(/<Key>([^<]*)<\/Key>/g))
          names.push(decodeURIComponent(key.replaceAll('+', ' ')).slice(under.length));
        nextToken = readElement(body, 'NextContinuationToken');
        if (names.length > maxNames || (nextToken !== undefined && nextToken === previous))
          throw new StorageRefused(`The storage lists "${folder}" without end.`);
        previous = nextToken;
      }
      return names.sort();
    },
    async writtenAt(file) {
      const { status, headers } = await request({ method: 'HEAD', key: keyOf(file) });
      if (status === 404) throw new FileNotFound(file);
      return new Date(String(headers['last-modified']));
    },
    remove: async (file) => void (await request({ method: 'DELETE', key: keyOf(file) })),
  };
}

async function sendParts(
  request: SendRequest,
  key: string,
  first: Buffer,
  rest: AsyncIterable<Buffer>,
): Promise<number> {
  const started = await request({ method: 'POST', key, query: { uploads: '' } });
  const uploadId = readElement(started.body, 'UploadId') ?? '';
  try {
    const tags: string[] = [];
    let bytes = 0;
    const send = async (body: Buffer) => {
      const { headers } = await request({
        method: 'PUT',
        key,
        query: { partNumber: String(tags.length + 1), uploadId },
        body,
      });
      tags.push(String(headers.etag));
      bytes += body.length;
    };
    await send(first);
    for await (const part of rest) await send(part);
    const listed = tags.map((tag, n) => `<Part><PartNumber>${n + 1}</PartNumber><ETag>${tag}</ETag></Part>`).join('');
    const body = Buffer.from(`<CompleteMultipartUpload>${listed}</CompleteMultipartUpload>`);
    const { status } = await request({ method: 'POST', key, query: { uploadId }, body });
    // The upload was completed and only the response was lost: for a retry the storage no longer knows the upload.
    if (status === 404 && (await sizeOf(request, key)) !== bytes)
      throw new StorageRefused('The storage forgot a file while it was being sent.');
    return bytes;
  } catch (error) {
    await request({ method: 'DELETE', key, query: { uploadId } }).catch(() => {});
    throw error;
  }
}

async function sizeOf(request: SendRequest, key: string): Promise<number | undefined> {
  const { status, headers } = await request({ method: 'HEAD', key });
  return status === 200 ? Number(headers['content-length']) : undefined;
}

/** Downloads range by range; `if-match` makes sure that all ranges are of the same version. */
async function* rangesOf(request: SendRequest, file: string, key: string, rangeBytes: number): AsyncGenerator<Buffer> {
  let tag: string | undefined;
  for (let from = 0, size = Number.POSITIVE_INFINITY; from < size; ) {
    const range = `bytes=${from}-${from + rangeBytes - 1}`;
    const { status, headers, body } = await request({
      method: 'GET',
      key,
      headers: { range, ...(tag && { 'if-match': tag }) },
    });
    if (status === 404) throw new FileNotFound(file);
    if (status === 412) throw new StorageRefused(`"${file}" was changed while it was read.`);
    // An empty file has no valid range.
    if (status === 416 && from === 0) return;
    size = Number(String(headers['content-range']).split('/')[1]);
    if (status !== 206 || body.length !== Math.min(rangeBytes, size - from))
      throw new StorageRefused(`The storage did not give the range of "${file}" that was asked for.`);
    tag = String(headers.etag);
    from += body.length;
    yield body;
  }
}

/** Splits the content into parts of one size; the last may be smaller. */
async function* partsOf(content: Readable, partBytes: number): AsyncGenerator<Buffer, undefined> {
  let buffered: Buffer[] = [];
  let length = 0;
  for await (const chunk of content) {
    buffered.push(chunk as Buffer);
    length += (chunk as Buffer).length;
    while (length >= partBytes) {
      const all = Buffer.concat(buffered);
      yield all.subarray(0, partBytes);
      buffered = [all.subarray(partBytes)];
      length -= partBytes;
    }
  }
  if (length > 0) yield Buffer.concat(buffered);
}
