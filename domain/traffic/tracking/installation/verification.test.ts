import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOutbound } from '@tributary/outbound';
import { buildApiKey, buildProfile, openApi, openTestkit, type TestApi, type Testkit } from '@tributary/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { markVerified } from '../module.ts';

let kit: Testkit;
let api: TestApi;
let guarded: TestApi;
let site: Server;
let origin: string;
let serve: RequestListener;
let profileId: string;
let headers: Record<string, string>;
beforeAll(async () => {
  kit = await openTestkit();
  site = createServer((request, response) => serve(request, response)).listen(0, '127.0.0.1');
  await once(site, 'listening');
  origin = `http://shop.cl:${(site.address() as AddressInfo).port}`;
  // Allows 127.0.0.1, where the test page is served; all other outbound checks stay.
  const outbound = createOutbound({
    timeoutMs: 500,
    policy: { schemes: ['http:'], ports: 'any', admits: (address) => address === '127.0.0.1' },
    resolver: { resolve4: async () => ['127.0.0.1'], resolve6: async () => [] },
  });
  api = await openApi(kit, { outbound });
  guarded = await openApi(kit, { outbound: createOutbound({ timeoutMs: 500 }) });
});
afterAll(async () => {
  await api.close();
  await guarded.close();
  await kit.close();
  site.closeAllConnections();
  site.close();
});
beforeEach(async () => {
  profileId = (await buildProfile(kit.app)).id;
  headers = {
    ...(await buildApiKey(kit.app, profileId, { scopes: ['attribution:write', 'analytics:read'] })).headers,
    'content-type': 'application/json',
  };
});

const url = '/api/v1/tracking/verification';
const start = async (page: string, by = api) => {
  const answer = await by.fastify.inject({ method: 'POST', url, headers, payload: JSON.stringify({ url: page }) });
  return { status: answer.statusCode, ...answer.json() };
};
const latest = async () => (await api.fastify.inject({ url, headers })).json().data;
const issue = async (): Promise<string> =>
  (await api.fastify.inject({ method: 'POST', url: '/api/v1/tracking/keys', headers })).json().data.key;
const arrive = (nonce: string) =>
  kit.app.forProfile(profileId).transaction((tx) => markVerified(tx, profileId, nonce, kit.clock.now()));
const nonceOf = (link: string) => new URL(link).searchParams.get('svc_v') ?? '';
const readiness = async () =>
  (await api.fastify.inject({ url: '/api/v1/profile', headers })).json().data.readiness as {
    step: string;
    is_done: boolean;
  }[];

test('[track-023] returns null before the first verification', async () => {
  expect(await latest()).toBeNull();
});

test('[track-023] [track-024] a verification returns a link, and the first visit with its nonce verifies the tracker', async () => {
  const key = await issue();
  serve = (_request, response) => response.end(`<html><script data-key="${key}"></script>`);
  const { status, data } = await start(`${origin}/x?a=1#top`);
  expect(status).toBe(201);
  expect(data).toEqual({
    id: expect.any(String),
    url: `${origin}/x?a=1#top`,
    link: expect.stringMatching(/\/x\?a=1&svc_v=[0-9a-f-]{36}#top$/),
    status: 'pending',
    snippet_present: true,
    hint: 'The page holds the key.',
    started_at: kit.clock.now().toISOString(),
    expires_at: new Date(kit.clock.now().getTime() + 3_600_000).toISOString(),
    verified_at: null,
  });
  expect(await latest()).toEqual(data);
  expect(await readiness()).toContainEqual({ step: 'tracker_verified', is_done: false });
  expect(await arrive('another')).toBe(false);
  expect(await arrive(nonceOf(data.link))).toBe(true);
  expect(await arrive(nonceOf(data.link))).toBe(false);
  expect(await latest()).toMatchObject({ id: data.id, status: 'verified', verified_at: kit.clock.now().toISOString() });
  expect(await readiness()).toContainEqual({ step: 'tracker_verified', is_done: true });
});

test('a nonce is valid for its own profile and for one hour', async () => {
  serve = (_request, response) => response.end('');
  const { data } = await start(`${origin}/`);
  const other = (await buildProfile(kit.app)).id;
  const elsewhere = kit.app.forProfile(other);
  expect(await elsewhere.transaction((tx) => markVerified(tx, other, nonceOf(data.link), kit.clock.now()))).toBe(false);
  expect(await elsewhere.transaction((tx) => markVerified(tx, profileId, nonceOf(data.link), kit.clock.now()))).toBe(
    false,
  );
  kit.clock.advance(3_600_000);
  expect(await arrive(nonceOf(data.link))).toBe(false);
  expect((await latest()).status).toBe('expired');
});

test.each<[string, RequestListener, boolean | null, RegExp]>([
  ['without the key', (_, response) => response.end('<html></html>'), false, /does not hold the key/],
  ['with another key', (_, response) => response.end(`trk_${'x'.repeat(22)}`), false, /another tracking key/],
  ['that is missing', (_, response) => response.writeHead(404).end(), null, /status 404/],
  [
    'that redirects endlessly',
    (_, response) => response.writeHead(302, { location: '/again' }).end(),
    null,
    /status 302/,
  ],
  ['that never responds', () => {}, null, /did not answer in time/],
  ['that aborts the connection', (request) => request.socket.destroy(), null, /without a complete/],
])('a page %s gives a hint and no error', async (_, listener, isPresent, hint) => {
  serve = listener;
  const { status, data } = await start(`${origin}/`);
  expect([status, data.snippet_present]).toEqual([201, isPresent]);
  expect(data.hint).toMatch(hint);
});

test('follows a redirect and reads its page', async () => {
  const key = await issue();
  serve = (request, response) =>
    request.url === '/' ? response.writeHead(301, { location: '/es/' }).end() : response.end(`data-key="${key}"`);
  expect((await start(`${origin}/`)).data.snippet_present).toBe(true);
});

test('never requests a private address, by name or by redirect', async () => {
  let requests = 0;
  serve = (_request, response) => {
    requests += 1;
    response.end('');
  };
  const { port } = site.address() as AddressInfo;
  for (const page of [
    `http://127.0.0.1:${port}/`,
    'https://127.0.0.1/',
    'https://169.254.169.254/latest',
    'https://localhost/',
  ]) {
    const { status, data } = await start(page, guarded);
    expect([status, data.snippet_present]).toEqual([201, null]);
  }
  expect(requests).toBe(0);
  serve = (_request, response) => response.writeHead(302, { location: 'http://10.0.0.1/' }).end();
  expect((await start(`${origin}/`)).data.hint).toMatch(/no address on the public internet/);
});

test.each(['', 'shop.cl', 'ftp://shop.cl/', 'javascript:alert(1)'])('refuses %j as a page', async (page) => {
  expect((await start(page)).error).toMatchObject({ code: 'validation_error', field: 'url' });
});

test('starts at most ten verifications a minute', async () => {
  serve = (_request, response) => response.end('');
  for (let count = 0; count < 10; count += 1) expect((await start(`${origin}/`)).status).toBe(201);
  let isRequested = false;
  serve = (_request, response) => {
    isRequested = true;
    response.end('');
  };
  expect((await start(`${origin}/`)).error).toMatchObject({ code: 'rate_limit_exceeded', reason: 'verifications' });
  expect(isRequested).toBe(false);
  kit.clock.advance(60_000);
  expect((await start(`${origin}/`)).status).toBe(201);
});

test('starts at most ten verifications a minute when sixty are requested concurrently', async () => {
  let fetched = 0;
  serve = (_request, response) => {
    fetched += 1;
    setTimeout(() => response.end(''), 50);
  };
  const answers = await Promise.all(Array.from({ length: 60 }, () => start(`${origin}/`)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
  expect(fetched).toBe(10);
});

test('deletes old attempts and keeps the latest proof', async () => {
  serve = (_request, response) => response.end('');
  const proof = (await start(`${origin}/`)).data;
  await arrive(nonceOf(proof.link));
  for (let count = 0; count < 24; count += 1) {
    kit.clock.advance(6_001);
    expect((await start(`${origin}/`)).status).toBe(201);
  }
  const { rows } = await kit.app
    .forProfile(profileId)
    .transaction((tx) =>
      sql<{ id: string }>`SELECT id FROM tracking_verifications WHERE profile_id = ${profileId}`.execute(tx),
    );
  expect(rows).toHaveLength(21);
  expect(rows.map((row) => row.id)).toContain(proof.id);
});
