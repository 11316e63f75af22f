import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { S3Server } from '@tributary/testkit/s3-server';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { FileNotFound, Meter, openStorage, type Storage, StorageRefused, writeStream } from './index.ts';

const partBytes = 64 * 1024;
const options = { partBytes, pausesMs: [1, 1, 1] };
const s3 = new S3Server();
let root: string;
let bucket: Storage;
let folder: Storage;

beforeAll(async () => {
  await s3.open();
  root = await mkdtemp(join(tmpdir(), 'storage-'));
  bucket = openStorage(`s3://${s3.bucket}/one/shop`, s3.settings, options);
  folder = openStorage(root, s3.settings);
});
afterAll(async () => {
  s3.close();
  await rm(root, { recursive: true });
});
beforeEach(() => {
  s3.fault = () => undefined;
  s3.asked.length = 0;
  s3.uploads.clear();
});

/** Splits the bytes into pieces that are unrelated to the part size. */
function inPieces(bytes: Buffer): Readable {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 10_007) pieces.push(bytes.subarray(at, at + 10_007));
  return Readable.from(pieces, { objectMode: false });
}

test('a folder and a bucket behave alike: files of any size, paged lists, missing files', async () => {
  for (const storage of [folder, bucket]) {
    for (const size of [0, 1, partBytes - 1, partBytes, partBytes + 1, 5 * partBytes + 7]) {
      const bytes = randomBytes(size);
      expect(await storage.write(`sizes/day=1/${size}`, inPieces(bytes))).toBe(size);
      expect((await buffer(storage.read(`sizes/day=1/${size}`))).equals(bytes), String(size)).toBe(true);
    }
    for (const name of ['e', 'a', 'd', 'b', 'c', 'under/x'])
      await storage.write(`list/${name}`, Readable.from([Buffer.from(name)]));
    await storage.write('list/a', Readable.from([Buffer.from('again')]));
    expect(await storage.list('list')).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(await storage.list('nothing')).toEqual([]);
    expect((await buffer(storage.read('list/a'))).toString()).toBe('again');
    expect(Math.abs((await storage.writtenAt('list/a')).getTime() - Date.now())).toBeLessThan(600_000);
    await storage.remove('list/a');
    await storage.remove('list/a');
    expect(await storage.list('list')).toEqual(['b', 'c', 'd', 'e']);
    await expect(buffer(storage.read('list/a'))).rejects.toThrow(FileNotFound);
    await expect(storage.writtenAt('list/a')).rejects.toThrow(FileNotFound);
  }
  expect([...s3.objects.keys()].every((key) => key.startsWith('one/shop/'))).toBe(true);
  // The last of six parts was uploaded once.
  const largest = s3.asked.filter((line) => line.startsWith('PUT') && line.includes('partNumber=6'));
  expect(largest).toHaveLength(1);
});

test('retries failed requests part by part, also if only the response was lost', async () => {
  const bytes = randomBytes(4 * partBytes + 9);
  const faults = ['before', 'after', 'amid'] as const;
  let n = 0;
  // Every request except GET fails once, in changing ways.
  const seen = new Set<string>();
  s3.fault = (method, path) => {
    const what = `${method} ${path}`;
    // The path of a GET does not distinguish its ranges.
    if (method !== 'GET' && seen.has(what)) return undefined;
    seen.add(what);
    n += 1;
    return method === 'GET' && n % 2 === 0 ? undefined : faults[n % 3];
  };
  await bucket.write('rough', inPieces(bytes));
  expect((await buffer(bucket.read('rough'))).equals(bytes)).toBe(true);
  expect(await bucket.list('.')).toEqual([]);
  // An upload was started twice because its response was lost. A bucket rule deletes such uploads.
  expect(s3.uploads.size).toBeLessThanOrEqual(1);

  s3.fault = () => 'before';
  await expect(bucket.write('away', inPieces(bytes))).rejects.toThrow(/does not answer/);
  await expect(buffer(bucket.read('rough'))).rejects.toThrow(/does not answer/);
});

test('a failed write leaves no file and no parts, and throws the cause', async () => {
  const failing = (isUnderWay: () => boolean) =>
    Readable.from(
      (async function* () {
        yield randomBytes(2 * partBytes);
        // Fails only after parts were uploaded, so that there is something to delete.
        while (!isUnderWay()) await setImmediate();
        throw new Error('the source dried up');
      })(),
    );
  for (const [storage, isUnderWay] of [
    [folder, () => true],
    [bucket, () => s3.uploads.size > 0],
  ] as const)
    await expect(writeStream(storage, 'broken/one', failing(isUnderWay), new Meter())).rejects.toThrow(
      'the source dried up',
    );
  expect(await folder.list('broken')).toEqual([]);
  expect(await bucket.list('broken')).toEqual([]);
  expect(s3.uploads.size).toBe(0);
  // A refusal by the storage ends the source.
  const gone = openStorage('s3://other/x', s3.settings, options);
  const endless = Readable.from(
    (async function* () {
      for (;;) yield randomBytes(10_000);
    })(),
  );
  await expect(writeStream(gone, 'one', endless, new Meter())).rejects.toThrow('There is no bucket "other"');
  expect(endless.destroyed).toBe(true);

  // A file that changes between two ranges is not read as a mixture of both.
  await bucket.write('changing', inPieces(randomBytes(3 * partBytes)));
  const reading = bucket.read('changing')[Symbol.asyncIterator]();
  await reading.next();
  await bucket.write('changing', inPieces(randomBytes(3 * partBytes)));
  const rest = async () => {
    while (!(await reading.next()).done);
  };
  await expect(rest()).rejects.toThrow('was changed while it was read');
});

test('a wrong or missing secret, key or region throws an error that names the setting', async () => {
  const open = (settings: object, address = `s3://${s3.bucket}`) =>
    openStorage(address, { ...s3.settings, ...settings }, options);
  await expect(open({ s3SecretAccessKey: 'wrong' }).list('x')).rejects.toThrow(
    /S3_SECRET_ACCESS_KEY is not the secret/,
  );
  await expect(open({ s3Region: 'us-east-1' }).list('x')).rejects.toThrow(/S3_REGION/);
  await expect(open({ s3AccessKeyId: 'AKIAOTHER' }).list('x')).rejects.toThrow(
    /does not know the key of S3_ACCESS_KEY_ID/,
  );
  expect(() => open({ s3SecretAccessKey: undefined })).toThrow(StorageRefused);
  // Refusals are not retried.
  expect(s3.asked).toHaveLength(3);
});
