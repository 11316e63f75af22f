import { route } from '@tributary/contract';
import { LocalBuckets, type RateLimiter } from '@tributary/redis';
import { limits } from '@tributary/vocabulary';
import { beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { AttemptLimiter, type Caller, identify } from './index.ts';

const ping = route({
  id: 'ping',
  method: 'GET',
  path: '/api/v1/ping',
  summary: 'Ping',
  chapter: 'Test',
  access: { credentials: ['api_key'], grain: 'profile' },
  answers: { 200: { schema: z.object({}) } },
});
const guest = route({ ...ping, id: 'guest', access: { credentials: ['public', 'session'], grain: 'account' } });

const allowed = limits.ratePerMinute.refused;
const validCaller = { kind: 'api_key', credentialId: 'one' } as Caller;
let nowMs: number;
let lookUps: number;
let deps: Parameters<typeof identify>[0];
beforeEach(() => {
  nowMs = 0;
  lookUps = 0;
  const buckets = new LocalBuckets();
  const limiter: RateLimiter = { take: async (name, perMinute) => buckets.take(name, perMinute, nowMs * 1_000) };
  deps = {
    limiter,
    door: new AttemptLimiter(() => nowMs),
    authenticate: async ({ authorization }) => {
      lookUps += 1;
      return authorization?.startsWith('good') ? validCaller : undefined;
    },
  };
});

const attempt = (authorization: string, address = '203.0.113.1', to: typeof ping | typeof guest = ping) =>
  identify(
    deps,
    to,
    { authorization, cookie: undefined, profileId: undefined, workspaceId: undefined },
    address,
    new Date(),
  ).then(
    (caller) => caller?.kind ?? 'anonymous',
    ({ code }) => code,
  );

test('rejects an address that has used up its attempts without querying the ledger', async () => {
  const codes: string[] = [];
  for (let guess = 0; guess < 2 * allowed; guess += 1) codes.push(await attempt(`wrong ${guess}`));
  expect([codes[0], codes.at(-1)]).toEqual(['unauthorized', 'rate_limit_exceeded']);
  expect(lookUps).toBe(allowed + 1);
  // Another network has attempts of its own.
  expect(await attempt('wrong', '203.0.113.2')).toBe('unauthorized');
  // A second later the address has a few attempts again.
  nowMs += 1_000;
  expect(await attempt('wrong again')).toBe('unauthorized');
});

test('still looks up a credential that was recently valid from the same network', async () => {
  expect(await attempt('good one')).toBe('api_key');
  for (let guess = 0; guess <= allowed; guess += 1) await attempt(`wrong ${guess}`);
  lookUps = 0;
  expect([await attempt('good one'), lookUps]).toEqual(['api_key', 1]);
  expect([await attempt('good, but new here'), lookUps]).toEqual(['rate_limit_exceeded', 1]);
});

test('treats a credential that was last valid ten minutes ago as a guess', async () => {
  expect(await attempt('good one')).toBe('api_key');
  nowMs += 10 * 60_000;
  for (let guess = 0; guess <= allowed; guess += 1) await attempt(`wrong ${guess}`);
  expect(await attempt('good one')).toBe('rate_limit_exceeded');
});

test('counts the addresses of one IPv6 network together', async () => {
  for (let guess = 0; guess <= allowed; guess += 1) await attempt('wrong', `2001:db8::${guess.toString(16)}`);
  expect([await attempt('wrong', '2001:db8::ffff'), lookUps]).toEqual(['rate_limit_exceeded', allowed + 1]);
});

test('an invalid credential counts as none on a route where it is optional, and as an attempt', async () => {
  expect(await attempt('wrong', undefined, guest)).toBe('anonymous');
  for (let guess = 0; guess < allowed; guess += 1) await attempt(`wrong ${guess}`, undefined, guest);
  expect([await attempt('wrong', undefined, guest), lookUps]).toEqual(['rate_limit_exceeded', allowed + 1]);
});
