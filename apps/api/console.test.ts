import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { openApi, openTestkit, type TestApi, type Testkit } from '@tributary/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

let kit: Testkit;
let api: TestApi;
let bare: TestApi;
let directory: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tributary-console-'));
  mkdirSync(join(directory, 'assets'));
  writeFileSync(join(directory, 'index.html'), '<!doctype html><title>The console</title>');
  writeFileSync(join(directory, 'assets/main-1a2b.js'), 'console.log(1);');
  writeFileSync(join(directory, 'assets/main-1a2b.js.gz'), gzipSync('console.log(1);'));
  writeFileSync(join(directory, 'secret.txt'), 'not for everybody');
  kit = await openTestkit();
  [api, bare] = await Promise.all([openApi(kit, { consoleDirectory: directory }), openApi(kit)]);
});
afterAll(async () => {
  await Promise.all([api.close(), bare.close()]);
  await kit.close();
  rmSync(directory, { recursive: true });
});

const get = (url: string, headers: Record<string, string> = {}) => api.fastify.inject({ method: 'GET', url, headers });

test.each(['/', '/sign-in', '/p/0198a000-0000-7000-8000-000000000000/campaigns?from=2026-01-01'])(
  '%s is the page, under a policy that lets in nothing of anybody else',
  async (url) => {
    const { statusCode, body, headers } = await get(url);
    expect([statusCode, body]).toEqual([200, '<!doctype html><title>The console</title>']);
    const policy = String(headers['content-security-policy']);
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*|data:/);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
    });
  },
);

test('a file whose name says what is in it is kept for ever, and sent packed to whoever can unpack it', async () => {
  const plain = await get('/assets/main-1a2b.js');
  expect([plain.statusCode, plain.body]).toEqual([200, 'console.log(1);']);
  expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  const packed = await get('/assets/main-1a2b.js', { 'accept-encoding': 'gzip' });
  expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
  expect(packed.headers['content-type']).toMatch(/javascript/);
  expect(gunzipSync(packed.rawPayload).toString()).toBe('console.log(1);');
});

test.each([
  '/assets/none.js',
  '/assets/../secret.txt',
  '/assets/%2e%2e/secret.txt',
  '/secret.txt',
  '/assets/',
  '/profile',
])('there is nothing at %s', async (url) => {
  const { statusCode, body } = await get(url);
  expect([statusCode, JSON.parse(body).error.code]).toEqual([404, 'not_found']);
});

test('an API whose console was not built shows its own page instead', async () => {
  const { statusCode, headers } = await bare.fastify.inject({ method: 'GET', url: '/' });
  expect([statusCode, headers.location]).toEqual([302, '/api']);
});
