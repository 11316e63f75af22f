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
const how = { partBytes: 64 * 1024, pausesMs: [1] };

async function openHostileStorage(listener: RequestListener): Promise<Storage & { readonly requests: string[] }> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    listener(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { ...openStorage('s3://bucket/x', { ...keys, s3Endpoint: `http://127.0.0.1:${port}` }, how), requests };
}

/** Returns the error message and checks that the error contains no credentials. */
async function refusalOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => expect.unreachable(),
    (reason: unknown) => reason as Error,
  );
  const shown = JSON.stringify([error.message, error.stack, String(error.cause), Object.values(error)]);
  expect(shown).not.toContain(secret);
  expect(shown).not.toMatch(/Signature=/);
  return error.message;
}

test('stops reading an endless listing', async () => {
  const same = await openHostileStorage((_request, response) =>
    response.end('<Key>x/list/a</Key><NextContinuationToken>again</NextContinuationToken>'),
  );
  expect(await refusalOf(same.list('list'))).toBe('The storage returns an endless listing of "list".');
  let page = 0;
  const names = '<Key>x/list/a</Key>'.repeat(100_000);
  const grows = await openHostileStorage((_request, response) => {
    page += 1;
    response.end(`${names}<NextContinuationToken>${page}</NextContinuationToken>`);
  });
  expect(await refusalOf(grows.list('list'))).toBe('The storage returns an endless listing of "list".');
});

test('rejects responses larger than the requested range and ranges of a different size', async () => {
  const large = await openHostileStorage((_request, response) => response.end(Buffer.alloc(32 << 20)));
  expect(await refusalOf(text(large.read('a')))).toMatch(/does not answer/);
  const other = await openHostileStorage((_request, response) =>
    response.writeHead(206, { 'content-range': 'bytes 0-9/1e308', etag: 'a' }).end('0123456789'),
  );
  expect(await refusalOf(text(other.read('a')))).toMatch(/did not give the range/);
  const none = await openHostileStorage((_request, response) => response.writeHead(206).end('0123456789'));
  expect(await refusalOf(text(none.read('a')))).toMatch(/did not give the range/);
});

test('a redirect is not followed', async () => {
  const inside = await openHostileStorage((_request, response) => response.end('inside'));
  const redirects = await openHostileStorage((_request, response) =>
    response.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
  );
  expect(await refusalOf(text(redirects.read('a')))).toContain('refuses it: 307');
  expect(await refusalOf(redirects.write('a', Readable.from([Buffer.from('b')])))).toContain('refuses it: 307');
  expect([redirects.requests.length, inside.requests]).toEqual([2, []]);
});

test.each([
  ['169.254.169.254'],
  ['::ffff:169.254.169.254'],
  ['fe80::1'],
  ['168.63.129.16'],
  ['0.0.0.0'],
  ['64:ff9b::a9fe:a9fe'],
])('does not connect to an endpoint that resolves to %s', async (address) => {
  let lookups = 0;
  const resolver = await dnsResolver((_name, type) => {
    if ((type === 'A') !== !address.includes(':')) return { addresses: [] };
    lookups += 1;
    return { aliases: ['bucket.cdn.test'], addresses: [address] };
  });
  const settings = { ...keys, s3Endpoint: 'https://s3.rebinds.test' };
  const storage = openStorage('s3://bucket/x', settings, { ...how, resolver });
  expect(await refusalOf(text(storage.read('a')))).not.toContain(address);
  expect(lookups).toBeGreaterThan(0);
});

test('stops reading a text over its size limit', async () => {
  const pieces = () => Readable.from([Buffer.alloc(40), Buffer.alloc(40)], { objectMode: false });
  await expect(readText(pieces(), 79)).rejects.toThrow('larger than 79 bytes');
  expect(await readText(pieces(), 80)).toHaveLength(80);
});
