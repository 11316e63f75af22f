import { type IncomingHttpHeaders, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { trackerScript } from '@tributary/tracker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CollectorScene, openCollectorScene } from './collector.fixture.ts';

let scene: CollectorScene;
beforeAll(async () => {
  scene = await openCollectorScene();
});
afterAll(() => scene.close());

/** Reads the response from the socket without decompressing it, unlike fetch. */
const getScript = (accepts: string | undefined, { method = 'GET', tag }: { method?: string; tag?: string } = {}) =>
  new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; bytes: Buffer; received: number }>(
    (resolve, reject) => {
      const headers = { ...(accepts && { 'accept-encoding': accepts }), ...(tag && { 'if-none-match': tag }) };
      const sent = request(`${scene.collector.url}/t.js?v=1`, { method, headers, agent: false }, async (response) => {
        const bytes = Buffer.concat(await response.toArray());
        resolve({ status: response.statusCode, headers: response.headers, bytes, received: response.socket.bytesRead });
      });
      sent.on('error', reject).end();
    },
  );

test.each([
  ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
  ['gzip;q=1.0, br;q=0', 'gzip', gunzipSync],
  ['*', 'br', brotliDecompressSync],
  ['br;q=0, gzip; q=0.0, identity', undefined, (bytes: Buffer) => bytes],
  [undefined, undefined, (bytes: Buffer) => bytes],
])(
  'is sent to a browser that accepts %s encoded as %s, with headers at most 4 kB',
  async (accepts, encoding, unpack) => {
    const { status, headers, bytes, received } = await getScript(accepts);
    expect([status, headers['content-type'], headers.vary]).toEqual([
      200,
      'text/javascript; charset=utf-8',
      'accept-encoding',
    ]);
    expect(headers['content-encoding']).toBe(encoding);
    expect(headers['content-length']).toBe(String(bytes.length));
    expect(unpack(bytes).toString()).toBe(trackerScript);
    if (encoding) expect(received).toBeLessThanOrEqual(4_096);
  },
);

test('returns 304 for a matching If-None-Match, with an ETag per encoding', async () => {
  const [compressed, plain] = [await getScript('br'), await getScript(undefined)];
  expect(compressed.headers.etag).not.toBe(plain.headers.etag);
  for (const tag of [`${compressed.headers.etag}`, `"other", W/${compressed.headers.etag}`]) {
    const again = await getScript('br', { tag });
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
  }
  expect((await getScript('br', { tag: `${plain.headers.etag}` })).status).toBe(200);
});

test('returns the headers of a GET for a HEAD', async () => {
  const [head, whole] = [await getScript('br', { method: 'HEAD' }), await getScript('br')];
  const { date: _headDate, ...headers } = head.headers;
  const { date: _wholeDate, ...expected } = whole.headers;
  expect([head.status, head.bytes.length, headers]).toEqual([200, 0, expected]);
  expect((await fetch(`${scene.collector.url}/healthz`, { method: 'HEAD' })).status).toBe(200);
});
