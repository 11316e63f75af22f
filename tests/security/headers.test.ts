import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildMember, buildProfile, openApi, openTestWithClickHouse } from '@tributary/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openCollectorTarget } from '../generated/targets.ts';
import { surfacesOf } from './surfaces.ts';

/** Security headers of every route of the API and the collector. */
const directory = mkdtempSync(join(tmpdir(), 'tributary-surfaces-'));
mkdirSync(join(directory, 'assets'));
for (const name of ['index.html', 'image.svg', 'assets/main-1.js', 'assets/main-1.css'])
  writeFileSync(join(directory, name), '<!doctype html>');
const { kit, api, clickhouse } = await openTestWithClickHouse({
  consoleDirectory: directory,
  docsDirectory: directory,
});
afterAll(() => rmSync(directory, { recursive: true }));

type Headers = Readonly<Record<string, unknown>>;
interface Response {
  readonly status: number;
  readonly headers: Headers;
}

/** The library that renders the reference needs inline styles. */
const inlineStylePath = '/docs/reference';

/** Cache-Control of static documents. All other responses have `no-store`. */
const cacheable = /^(?:public, max-age=\d+|no-cache$)/;
const documents =
  /^\/(?:api$|api\/v1\/(?:openapi\.json|changelog)$|docs|assets\/|\.well-known\/|t\.js$|$|account$|shared$|invitation$|sign-in$|(?:forgot|reset)-password$|p\/)/;

/** Missing or wrong security headers of a response. */
function faultsIn(path: string, { status, headers }: Response): string[] {
  const type = String(headers['content-type'] ?? '');
  const policy = String(headers['content-security-policy'] ?? '');
  const faults: string[] = [];
  const must = (isSo: boolean, fault: string) => void (isSo || faults.push(fault));
  must(headers['x-content-type-options'] === 'nosniff', 'nosniff is missing');
  must(!headers.server && !headers['x-powered-by'], 'names the server software');
  const caching = String(headers['cache-control']);
  must(
    caching === 'no-store' || (status < 400 && documents.test(path) && cacheable.test(caching)),
    `cacheable: ${caching}`,
  );
  if (status !== 204 && status !== 304 && !headers.location)
    must(/^(?:application|text|image)\//.test(type), 'no Content-Type');
  must(!type.startsWith('text/') || /charset=utf-8/.test(type), 'no charset');
  if (!type.startsWith('text/html')) return faults;
  for (const rule of ["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'", 'form-action '])
    must(policy.includes(rule), `the policy lacks ${rule}`);
  const allowed = path === inlineStylePath ? policy.replace("style-src 'self' 'unsafe-inline'", '') : policy;
  must(!/unsafe-|\*|https?:(?!\/\/tributary\.test)/.test(allowed), `the policy allows too much: ${policy}`);
  must(!/script-src[^;]*data:/.test(policy), 'allows scripts from data: URLs');
  must(/^(?:no-referrer|same-origin)$/.test(String(headers['referrer-policy'])), 'sends the full referrer');
  return faults;
}

/** Additional headers of the API. The collector serves no pages. */
const apiHeaders = {
  'cross-origin-opener-policy': 'same-origin-allow-popups',
  'permissions-policy': expect.stringContaining('camera=()'),
  'x-request-id': expect.stringMatching(/^req_/),
};

/** HEAD equals GET without the body. */
const surfaces = surfacesOf(api.fastify).filter(({ method }) => method !== 'HEAD');
const files: Readonly<Record<string, string>> = {
  '/assets/*': '/assets/main-1.js',
  '/docs/*': '/docs/image.svg',
  '/p/*': '/p/x/campaigns',
};
const urlOf = (path: string) => files[path] ?? path.replaceAll(/:\w+/g, '0198a000-0000-7000-8000-000000000000');
const address = () => `10.1.${Math.floor(Math.random() * 250)}.${Math.floor(Math.random() * 250)}`;

describe('the API', () => {
  beforeAll(async () => {
    await buildMember(kit.app, (await buildProfile(kit.app)).workspaceId);
  });

  test('lists all routes of the API', () => {
    const paths = surfaces.map(({ path }) => path);
    expect(paths.length).toBeGreaterThan(250);
    for (const path of [
      '/',
      '/healthz',
      '/mcp',
      '/hooks/:channel',
      '/oauth2/register',
      '/api/v1/events',
      '/docs/errors',
    ])
      expect(paths).toContain(path);
  });

  test.each(surfaces)('$method $path', async ({ method, path }) => {
    const url = urlOf(path);
    const { statusCode: status, headers } = await api.fastify.inject({
      method: method as 'GET',
      url,
      remoteAddress: address(),
    });
    expect(faultsIn(url, { status, headers })).toEqual([]);
    expect(headers).toMatchObject(apiHeaders);
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  test.each([
    ['an unknown path', 'GET', '/nope', {}],
    ['an unknown path in a browser', 'GET', '/nope', { accept: 'text/html' }],
    ['a path with invalid escapes', 'GET', '/%zz', {}],
    ['a console stylesheet', 'GET', '/assets/main-1.css', {}],
    ['a preflight from another origin', 'OPTIONS', '/api/v1/profile', { origin: 'https://evil.example' }],
  ] as const)('%s', async (_what, method, url, headers) => {
    const response = await api.fastify.inject({ method, url, headers, remoteAddress: address() });
    expect(faultsIn(url, { status: response.statusCode, headers: response.headers })).toEqual([]);
    expect(response.headers['access-control-allow-origin']).toBeUndefined();
  });

  test('an invalid HTTP request', async () => {
    await api.fastify.listen({ port: 0, host: '127.0.0.1' });
    const { port } = api.fastify.server.address() as AddressInfo;
    for (const sent of [
      'nonsense\r\n\r\n',
      'GET / HTTP/1.1\r\nhost: x\r\nexpect: wonders\r\nconnection: close\r\n\r\n',
    ])
      expect(await rawResponse(port, sent)).toMatch(/x-content-type-options: nosniff/i);
  });

  test('sends HSTS only if it terminates TLS', async () => {
    const [certificateFile, keyFile] = ['cert.pem', 'key.pem'].map((name) => join(directory, name)) as [string, string];
    const subject = ['-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost', '-days', '1'];
    execFileSync('openssl', ['req', '-x509', ...subject, '-keyout', keyFile, '-out', certificateFile], {
      stdio: 'ignore',
    });
    const secured = await openApi(kit, { clickhouse, tls: { certificateFile, keyFile } });
    try {
      const { headers } = await secured.fastify.inject('/healthz');
      expect(headers['strict-transport-security']).toBe('max-age=31536000');
    } finally {
      await secured.close();
    }
    expect((await api.fastify.inject('/healthz')).headers['strict-transport-security']).toBeUndefined();
  });
});

function rawResponse(port: number, sent: string): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(sent));
    socket.on('data', (data) => {
      text += data;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
  });
}

describe('the collector', () => {
  let collector: Awaited<ReturnType<typeof openCollectorTarget>>;
  beforeAll(async () => {
    collector = await openCollectorTarget(kit);
  });
  afterAll(() => collector.close());

  test.each([
    ['GET', '/t.js'],
    ['GET', '/healthz'],
    ['GET', '/readyz'],
    ['POST', '/v1/visits'],
    ['OPTIONS', '/v1/visits'],
    ['GET', '/nope'],
  ] as const)('%s %s', async (method, url) => {
    const { statusCode: status, headers } = await collector.inject({
      method,
      url,
      headers: {},
      remoteAddress: address(),
    });
    expect(faultsIn(url, { status, headers })).toEqual([]);
    // Pages of any origin can send visits, but without cookies.
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(headers['access-control-allow-credentials']).toBeUndefined();
  });
});
