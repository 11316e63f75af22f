import { route } from '@tributary/contract';
import { LocalBuckets, type RateLimiter } from '@tributary/redis';
import { limits } from '@tributary/vocabulary';
import { beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { type Caller, Door, identify } from './index.ts';

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
const somebody = { kind: 'api_key', credentialId: 'one' } as Caller;
let nowMs: number;
let asked: number;
let reception: Parameters<typeof identify>[0];
beforeEach(() => {
  nowMs = 0;
  asked = 0;
  const buckets = new LocalBuckets();
  const limiter: RateLimiter = { take: async (name, perMinute) => buckets.take(name, perMinute, nowMs * 1_000) };
  reception = {
    limiter,
    door: new Door(() => nowMs),
    authenticate: async ({ authorization }) => {
      asked += 1;
      return authorization?.startsWith('good') ? somebody : undefined;
    },
  };
});

const come = (authorization: string, address = '203.0.113.1', to: typeof ping | typeof guest = ping) =>
  identify(
    reception,
    to,
    { authorization, cookie: undefined, profileId: undefined, workspaceId: undefined },
    address,
    new Date(),
  ).then(
    (caller) => caller?.kind ?? 'nobody',
    ({ code }) => code,
  );

test('whoever has used up their guesses is sent away before the ledger is asked', async () => {
  const codes: string[] = [];
  for (let guess = 0; guess < 2 * allowed; guess += 1) codes.push(await come(`wrong ${guess}`));
  expect([codes[0], codes.at(-1)]).toEqual(['unauthorized', 'rate_limit_exceeded']);
  expect(asked).toBe(allowed + 1);
  // Another network is asked for, as ever.
  expect(await come('wrong', '203.0.113.2')).toBe('unauthorized');
  // A second later they may guess a little again.
  nowMs += 1_000;
  expect(await come('wrong again')).toBe('unauthorized');
});

test('somebody of the same network whose credential was good is let through, and is looked up', async () => {
  expect(await come('good one')).toBe('api_key');
  for (let guess = 0; guess <= allowed; guess += 1) await come(`wrong ${guess}`);
  asked = 0;
  expect([await come('good one'), asked]).toEqual(['api_key', 1]);
  expect([await come('good, but new here'), asked]).toEqual(['rate_limit_exceeded', 1]);
});

test('a credential that was good ten minutes ago and not since is a guess like any other', async () => {
  expect(await come('good one')).toBe('api_key');
  nowMs += 10 * 60_000;
  for (let guess = 0; guess <= allowed; guess += 1) await come(`wrong ${guess}`);
  expect(await come('good one')).toBe('rate_limit_exceeded');
});

test('addresses of one network of IPv6 guess together', async () => {
  for (let guess = 0; guess <= allowed; guess += 1) await come('wrong', `2001:db8::${guess.toString(16)}`);
  expect([await come('wrong', '2001:db8::ffff'), asked]).toEqual(['rate_limit_exceeded', allowed + 1]);
});

test('where a credential may be left out, a dead one is none, and its guesses are counted all the same', async () => {
  expect(await come('wrong', undefined, guest)).toBe('nobody');
  for (let guess = 0; guess < allowed; guess += 1) await come(`wrong ${guess}`, undefined, guest);
  expect([await come('wrong', undefined, guest), asked]).toEqual(['rate_limit_exceeded', allowed + 1]);
});
