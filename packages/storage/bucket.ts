import { Readable } from 'node:stream';
import { type Answer, type Ask, type BucketSettings, defaultPartBytes, openRequests, wordIn } from './s3-requests.ts';
import { NotThere, type Storage, StorageRefused } from './storage.ts';

/** Larger than any folder that Tributary writes. */
const mostNames = 500_000;

/**
 * S3-compatible storage. No file is in memory as a whole: it is sent in parts and read in ranges, and each is tried again by itself. What was
 * sent of a file that failed is given up, so that nobody pays for it.
 */
export function openBucket(settings: BucketSettings & { readonly prefix: string }): Storage {
  const { prefix, partBytes = defaultPartBytes } = settings;
  const ask = openRequests(settings);
  const keyOf = (file: string) => (prefix === '' ? file : `${prefix}/${file}`);
  return {
    async write(file, content) {
      try {
        const parts = partsOf(content, partBytes);
        const first = (await parts.next()).value ?? Buffer.alloc(0);
        if (first.length === partBytes) return await sendParts(ask, keyOf(file), first, parts);
        await ask({ method: 'PUT', key: keyOf(file), body: first });
        return first.length;
      } finally {
        // Whoever makes it would wait for ever for somebody who reads on.
        content.destroy();
      }
    },
    read: (file) => Readable.from(rangesOf(ask, file, keyOf(file), partBytes), { objectMode: false }),
    async list(folder) {
      const under = `${keyOf(folder)}/`;
      const names: string[] = [];
      let before: string | undefined;
      for (let next: string | undefined = ''; next !== undefined; ) {
        const { body }: Answer = await ask({
          method: 'GET',
          key: '',
          query: {
            'list-type': '2',
            prefix: under,
            delimiter: '/',
            'encoding-type': 'url',
            ...(next && { 'continuation-token': next }),
          },
        });
        const text = body.toString('utf8');
        for (const [, key = ''] of text.matchAll(/<Key>([^<]*)<\/Key>/g))
          names.push(decodeURIComponent(key.replaceAll('+', ' ')).slice(under.length));
        next = wordIn(body, 'NextContinuationToken');
        if (names.length > mostNames || (next !== undefined && next === before))
          throw new StorageRefused(`The storage returns an endless listing of "${folder}".`);
        before = next;
      }
      return names.sort();
    },
    async writtenAt(file) {
      const { status, headers } = await ask({ method: 'HEAD', key: keyOf(file) });
      if (status === 404) throw new NotThere(file);
      return new Date(String(headers['last-modified']));
    },
    remove: async (file) => void (await ask({ method: 'DELETE', key: keyOf(file) })),
  };
}

async function sendParts(ask: Ask, key: string, first: Buffer, rest: AsyncIterable<Buffer>): Promise<number> {
  const begun = await ask({ method: 'POST', key, query: { uploads: '' } });
  const uploadId = wordIn(begun.body, 'UploadId') ?? '';
  try {
    const tags: string[] = [];
    let bytes = 0;
    const send = async (body: Buffer) => {
      const { headers } = await ask({
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
    const { status } = await ask({ method: 'POST', key, query: { uploadId }, body });
    // It was put together, and the answer was lost: asked again, the storage knows of no upload any more.
    if (status === 404 && (await sizeOf(ask, key)) !== bytes)
      throw new StorageRefused('The storage forgot a file while it was being sent.');
    return bytes;
  } catch (error) {
    await ask({ method: 'DELETE', key, query: { uploadId } }).catch(() => {});
    throw error;
  }
}

async function sizeOf(ask: Ask, key: string): Promise<number | undefined> {
  const { status, headers } = await ask({ method: 'HEAD', key });
  return status === 200 ? Number(headers['content-length']) : undefined;
}

/** Range by range of what it was when the first was read. */
async function* rangesOf(ask: Ask, file: string, key: string, rangeBytes: number): AsyncGenerator<Buffer> {
  let tag: string | undefined;
  for (let from = 0, size = Number.POSITIVE_INFINITY; from < size; ) {
    const range = `bytes=${from}-${from + rangeBytes - 1}`;
    const { status, headers, body } = await ask({
      method: 'GET',
      key,
      headers: { range, ...(tag && { 'if-match': tag }) },
    });
    if (status === 404) throw new NotThere(file);
    if (status === 412) throw new StorageRefused(`"${file}" was changed while it was read.`);
    // Of an empty file there is no range.
    if (status === 416 && from === 0) return;
    size = Number(String(headers['content-range']).split('/')[1]);
    if (status !== 206 || body.length !== Math.min(rangeBytes, size - from))
      throw new StorageRefused(`The storage did not give the range of "${file}" that was asked for.`);
    tag = String(headers.etag);
    from += body.length;
    yield body;
  }
}

/** All of one size but the last. */
async function* partsOf(content: Readable, partBytes: number): AsyncGenerator<Buffer, undefined> {
  let waiting: Buffer[] = [];
  let length = 0;
  for await (const chunk of content) {
    waiting.push(chunk as Buffer);
    length += (chunk as Buffer).length;
    while (length >= partBytes) {
      const all = Buffer.concat(waiting);
      yield all.subarray(0, partBytes);
      waiting = [all.subarray(partBytes)];
      length -= partBytes;
    }
  }
  if (length > 0) yield Buffer.concat(waiting);
}
