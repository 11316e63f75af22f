import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { S3Server } from '@tributary/testkit/s3-server';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Meter, NotThere, openStorage, type Storage, StorageRefused, writeMade } from './index.ts';

const partBytes = 64 * 1024;
const how = { partBytes, pausesMs: [1, 1, 1] };
const s3 = new S3Server();
let root: string;
let bucket: Storage;
let folder: Storage;

beforeAll(async () => {
  await s3.open();
  root = await mkdtemp(join(tmpdir(), 'storage-'));
  bucket = openStorage(`s3://${s3.bucket}/one/shop`, s3.settings, how);
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

/** In pieces that fit nothing. */
function inPieces(bytes: Buffer): Readable {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 10_007) pieces.push(bytes.subarray(at, at + 10_007));
  return Readable.from(pieces, { objectMode: false });
}

test('a folder and a bucket hold the same: files of any size, lists over pages, nothing under a name that is gone', async () => {
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
    await expect(buffer(storage.read('list/a'))).rejects.toThrow(NotThere);
    await expect(storage.writtenAt('list/a')).rejects.toThrow(NotThere);
  }
  expect([...s3.objects.keys()].every((key) => key.startsWith('one/shop/'))).toBe(true);
  // As few as can be at once: no request or answer is larger than a part.
  const largest = s3.asked.filter((line) => line.startsWith('PUT') && line.includes('partNumber=6'));
  expect(largest).toHaveLength(1);
});

test('what fails on the way is tried again, part by part, also where only the answer was lost', async () => {
  const bytes = randomBytes(4 * partBytes + 9);
  const faults = ['before', 'after', 'amid'] as const;
  let n = 0;
  // Every request fails once, each time in another way.
  const seen = new Set<string>();
  s3.fault = (method, path) => {
    const what = `${method} ${path}`;
    // A range is told by its header; the same path is asked for several of them.
    if (method !== 'GET' && seen.has(what)) return undefined;
    seen.add(what);
    n += 1;
    return method === 'GET' && n % 2 === 0 ? undefined : faults[n % 3];
  };
  await bucket.write('rough', inPieces(bytes));
  expect((await buffer(bucket.read('rough'))).equals(bytes)).toBe(true);
  expect(await bucket.list('.')).toEqual([]);
  // One was begun twice: nobody heard that it was. A rule of the bucket forgets such.
  expect(s3.uploads.size).toBeLessThanOrEqual(1);

  s3.fault = () => 'before';
  await expect(bucket.write('away', inPieces(bytes))).rejects.toThrow(/does not answer/);
  await expect(buffer(bucket.read('rough'))).rejects.toThrow(/does not answer/);
});

test('of a file that could not be made or sent nothing is left, and the reason is told', async () => {
  const failing = (isUnderWay: () => boolean) =>
    Readable.from(
      (async function* () {
        yield randomBytes(2 * partBytes);
        // Earlier, nothing would have been sent that could be left.
        while (!isUnderWay()) await setImmediate();
        throw new Error('the source dried up');
      })(),
    );
  for (const [storage, isUnderWay] of [
    [folder, () => true],
    [bucket, () => s3.uploads.size > 0],
  ] as const)
    await expect(writeMade(storage, 'broken/one', failing(isUnderWay), new Meter())).rejects.toThrow(
      'the source dried up',
    );
  expect(await folder.list('broken')).toEqual([]);
  expect(await bucket.list('broken')).toEqual([]);
  expect(s3.uploads.size).toBe(0);
  // A storage that refuses ends whoever makes the file.
  const gone = openStorage('s3://other/x', s3.settings, how);
  const endless = Readable.from(
    (async function* () {
      for (;;) yield randomBytes(10_000);
    })(),
  );
  await expect(writeMade(gone, 'one', endless, new Meter())).rejects.toThrow('There is no bucket "other"');
  expect(endless.destroyed).toBe(true);

  // Changed between two ranges, it is no mixture of both.
  await bucket.write('changing', inPieces(randomBytes(3 * partBytes)));
  const reading = bucket.read('changing')[Symbol.asyncIterator]();
  await reading.next();
  await bucket.write('changing', inPieces(randomBytes(3 * partBytes)));
  const rest = async () => {
    while (!(await reading.next()).done);
  };
  await expect(rest()).rejects.toThrow('was changed while it was read');
});

test('a wrong secret, key or region, and none at all, are said in our words', async () => {
  const open = (settings: object, address = `s3://${s3.bucket}`) =>
    openStorage(address, { ...s3.settings, ...settings }, how);
  await expect(open({ s3SecretAccessKey: 'wrong' }).list('x')).rejects.toThrow(
    /S3_SECRET_ACCESS_KEY is not the secret/,
  );
  await expect(open({ s3Region: 'us-east-1' }).list('x')).rejects.toThrow(/S3_REGION/);
  await expect(open({ s3AccessKeyId: 'AKIAOTHER' }).list('x')).rejects.toThrow(
    /does not know the key of S3_ACCESS_KEY_ID/,
  );
  expect(() => open({ s3SecretAccessKey: undefined })).toThrow(StorageRefused);
  // What is refused is not tried again.
  expect(s3.asked).toHaveLength(3);
});
