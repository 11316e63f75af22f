import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { closeOpened, dnsResolver } from '../outbound/testing/harness.ts';
import { openStorage, readText, type Storage } from './index.ts';

const opened: (() => void)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) close();
  await closeOpened();
});

const secret = 'a-secret-of-the-storage';
const keys = { s3Region: 'eu-test-1', s3AccessKeyId: 'AKIAHOSTILE', s3SecretAccessKey: secret };
const options = { partBytes: 64 * 1024, pausesMs: [1] };

async function openStorageWith(respond: RequestListener): Promise<Storage & { readonly requests: string[] }> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    respond(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { ...openStorage('s3://bucket/x', { ...keys, s3Endpoint: `http://127.0.0.1:${port}` }, options), requests };
}

/** The message of the error, which must not contain any credential of the storage. */
async function getRefusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => expect.unreachable(),
    (reason: unknown) => reason as Error,
  );
  const serialized = JSON.stringify([error.message, error.stack, String(error.cause), Object.values(error)]);
  expect(serialized).not.toContain(secret);
  expect(serialized).not.toMatch(/Signature=/);
  return error.message;
}

test('rejects an endless listing', async () => {
  const same = await openStorageWith((_request, response) =>
    response.end('<Key>x/list/a</Key><NextContinuationToken>again</NextContinuationToken>'),
  );
  expect(await getRefusal(same.list('list'))).toBe('The storage lists "list" without end.');
  let page = 0;
  const names = '<Key>x/list/a</Key>'.repeat(100_000);
  const grows = await openStorageWith((_request, response) => {
    page += 1;
    response.end(`${names}<NextContinuationToken>${page}</NextContinuationToken>`);
  });
  expect(await getRefusal(grows.list('list'))).toBe('The storage lists "list" without end.');
});

test('rejects responses larger than requested and ranges of another size', async () => {
  const large = await openStorageWith((_request, response) => response.end(Buffer.alloc(32 << 20)));
  expect(await getRefusal(text(large.read('a')))).toMatch(/does not answer/);
  const other = await openStorageWith((_request, response) =>
    response.writeHead(206, { 'content-range': 'bytes 0-9/1e308', etag: 'a' }).end('0123456789'),
  );
  expect(await getRefusal(text(other.read('a')))).toMatch(/did not give the range/);
  const none = await openStorageWith((_request, response) => response.writeHead(206).end('0123456789'));
  expect(await getRefusal(text(none.read('a')))).toMatch(/did not give the range/);
});

test('a redirect is not followed', async () => {
  const inside = await openStorageWith((_request, response) => response.end('inside'));
  const redirects = await openStorageWith((_request, response) =>
    response.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
  );
  expect(await getRefusal(text(redirects.read('a')))).toContain('refuses it: 307');
  expect(await getRefusal(redirects.write('a', Readable.from([Buffer.from('b')])))).toContain('refuses it: 307');
  expect([redirects.requests.length, inside.requests]).toEqual([2, []]);
});

test.each([
  ['169.254.169.254'],
  ['::ffff:169.254.169.254'],
  ['fe80::1'],
  ['168.63.129.16'],
  ['0.0.0.0'],
  ['64:ff9b::a9fe:a9fe'],
])('does not connect to an endpoint whose DNS changes to %s', async (address) => {
  let requests = 0;
  const resolver = await dnsResolver((_name, type) => {
    if ((type === 'A') !== !address.includes(':')) return { addresses: [] };
    requests += 1;
    return { aliases: ['bucket.cdn.test'], addresses: [address] };
  });
  const settings = { ...keys, s3Endpoint: 'https://s3.rebinds.test' };
  const storage = openStorage('s3://bucket/x', settings, { ...options, resolver });
  expect(await getRefusal(text(storage.read('a')))).not.toContain(address);
  expect(requests).toBeGreaterThan(0);
});

test('readText rejects a text over the limit before it is in memory', async () => {
  const pieces = () => Readable.from([Buffer.alloc(40), Buffer.alloc(40)], { objectMode: false });
  await expect(readText(pieces(), 79)).rejects.toThrow('larger than 79 bytes');
  expect(await readText(pieces(), 80)).toHaveLength(80);
});
