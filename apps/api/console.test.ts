import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { openFirstAccount } from '@tributary/domain/tenancy/accounts/module.ts';
import { openApi, openTestkit, type TestApi, type Testkit } from '@tributary/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

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

// The first test creates the first account of the installation; the later ones need it to see the console.
describe('the console of an installation', { shuffle: false }, () => {
  test('without an account, every page redirects to the first-account page, whose token works once', async () => {
    expect((await get('/')).headers.location).toBe('/first-account');
    const owner = kit.owner.unbound;
    const old = await openFirstAccount(owner, 'https://tributary.test/', kit.clock.now());
    const link = await openFirstAccount(owner, 'https://tributary.test/', kit.clock.now());
    expect(link?.url).toMatch(/^https:\/\/tributary\.test\/first-account#trib_first_[0-9A-Za-z]{38}$/);
    const getToken = (of: typeof link) => new URL(of?.url ?? '').hash.slice(1);
    const page = await get('/first-account');
    expect(page.statusCode).toBe(200);
    for (const text of ['<option value="America/Santiago">', '<option value="CLP">', 'Create account'])
      expect(page.body).toContain(text);
    let callers = 0;
    const send = (changes: Record<string, string> = {}, headers: Record<string, string> = {}) => {
      callers += 1;
      const form = {
        business: 'Lamps',
        currency: 'usd',
        time_zone: 'America/Santiago',
        name: 'Ana',
        email: 'Ana@lamps.test',
      };
      return api.fastify.inject({
        method: 'POST',
        url: '/first-account',
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://tributary.test', ...headers },
        payload: new URLSearchParams({
          ...form,
          password: 'vague otter lamp',
          token: getToken(link),
          ...changes,
        }).toString(),
        remoteAddress: `2001:db8:${callers}::1`,
      });
    };
    expect((await send({}, { origin: 'https://evil.test' })).statusCode).toBe(404);
    // Invalid forms are explained and do not use up the token.
    for (const wrong of [
      { token: getToken(old) },
      { token: 'x' },
      { password: 'short' },
      { currency: 'pesos' },
      { time_zone: 'Moon' },
      { email: 'ana' },
    ]) {
      const { statusCode, body } = await send(wrong);
      expect([statusCode, body.includes('role="alert"')], JSON.stringify(wrong)).toEqual([400, true]);
    }
    const responses = await Promise.all([send(), send({ email: 'eva@lamps.test' })]);
    // The second request finds the token used or the page closed.
    expect(responses.map(({ statusCode }) => statusCode).sort()).toEqual([303, expect.toBeOneOf([400, 404])]);
    const { location } = responses.find(({ statusCode }) => statusCode === 303)?.headers ?? {};
    expect(location).toMatch(/^\/p\/[\da-f-]{36}\/set-up$/);
    const cookie = String(responses.find(({ statusCode }) => statusCode === 303)?.headers['set-cookie']).split(
      ';',
      1,
    )[0] as string;
    const account = await get('/api/v1/account', { cookie });
    expect(account.json().data.memberships ?? account.json().data.workspaces).toMatchObject([
      { role: 'owner', profiles: [{ name: 'Lamps' }] },
    ]);
    expect([(await get('/first-account')).statusCode, (await send()).statusCode]).toEqual([404, 404]);
    expect(await openFirstAccount(owner, 'https://tributary.test', kit.clock.now())).toBeUndefined();
  });

  const get = (url: string, headers: Record<string, string> = {}) =>
    api.fastify.inject({ method: 'GET', url, headers });

  test.each(['/', '/sign-in', '/p/0198a000-0000-7000-8000-000000000000/campaigns?from=2026-01-01'])(
    '%s is the console page, with a policy that allows only its own origin',
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
        'cross-origin-opener-policy': 'same-origin-allow-popups',
        'permissions-policy': expect.stringContaining('camera=()'),
      });
    },
  );

  test('serves hashed assets as immutable, and compressed if the client accepts it', async () => {
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
  ])('%s is 404', async (url) => {
    const { statusCode, body } = await get(url);
    expect([statusCode, JSON.parse(body).error.code]).toEqual([404, 'not_found']);
  });

  test('an unknown path is an HTML page for browsers and JSON for API clients', async () => {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
    const page = await get('/nope', { accept, 'accept-language': 'es-CL' });
    expect([page.statusCode, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(page.body).toContain('Página no encontrada');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    for (const [url, headers] of [
      ['/nope', { accept: 'application/json' }],
      ['/nope', {}],
      ['/api/v1/nope', { accept }],
    ] as const)
      expect(JSON.parse((await get(url, headers)).body).error.code).toBe('not_found');
  });

  test('redirects / to /api when the console is not built', async () => {
    const { statusCode, headers } = await bare.fastify.inject({ method: 'GET', url: '/' });
    expect([statusCode, headers.location]).toEqual([302, '/api']);
  });
});
