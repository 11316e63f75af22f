import { createHmac } from 'node:crypto';
import { events, liveEventNames } from '@tributary/contract';
import { dayMs, limits } from '@tributary/vocabulary';
import { describe, expect, test } from 'vitest';
import { envelopeOf } from './delivery/envelope.ts';
import { isUnavailable, nextReceiverState, type ReceiverState, unavailableAfter } from './delivery/receiver-state.ts';
import { nextAttemptAt, readRetryAfter } from './delivery/schedule.ts';
import { keyOf, signatureHeaders } from './delivery/signature.ts';
import { mintSecret, rotateSecrets, type SigningSecret, signingAt } from './secrets.ts';
import { trySignatures } from './signatures.fixture.ts';
import { sinceAfter } from './since.ts';

const start = new Date('2026-06-15T12:00:00.000Z');
const after = (seconds: number) => new Date(start.getTime() + seconds * 1_000);

describe('the retry schedule', () => {
  test('waits 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h with 10% jitter, 75 h in all; the tenth failure is the last', () => {
    const waits = (random: number) =>
      Array.from({ length: 10 }, (_, index) => {
        const next = nextAttemptAt({ attempts: index + 1, at: start, retryAfterSeconds: undefined, random });
        return next && (next.getTime() - start.getTime()) / 1_000;
      });
    expect(waits(0.5)).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400, undefined]);
    expect(limits.webhooks.waitSeconds.reduce<number>((sum, seconds) => sum + seconds, 0)).toBe(272_105);
    expect(waits(0)[0]).toBeCloseTo(4.5);
    expect(waits(1)[0]).toBeCloseTo(5.5);
  });

  test('grants a receiver the requested wait up to a day, but never less than its own', () => {
    const next = (retryAfterSeconds: number) =>
      nextAttemptAt({ attempts: 2, at: start, retryAfterSeconds, random: 0.5 });
    expect([next(10), next(600), next(1e9)]).toEqual([after(300), after(600), after(86_400)]);
  });

  test.each([
    ['120', 120],
    [['7', '9'], 7],
    ['Mon, 15 Jun 2026 12:01:00 GMT', 60],
    ['Mon, 15 Jun 2026 11:00:00 GMT', 0],
    ['soon', undefined],
    [undefined, undefined],
  ])('parses Retry-After %s as %s seconds', (header, seconds) => {
    expect(readRetryAfter(header, start)).toBe(seconds);
  });
});

describe('the state of a receiver', () => {
  const fine: ReceiverState = { consecutiveFailures: 0, failingSince: null, pausedUntil: null };
  const failure = { isDelivered: false } as const;
  const failures = (count: number) => Array.from({ length: count }, () => failure);

  test('counts consecutive failures, from the first one since a success', () => {
    const state = nextReceiverState(fine, [failure, { isDelivered: true }, failure, failure], start);
    expect(state).toEqual({ consecutiveFailures: 2, failingSince: start, pausedUntil: null });
    expect(nextReceiverState(state, failures(1), after(60))).toMatchObject({
      consecutiveFailures: 3,
      failingSince: start,
    });
    expect(nextReceiverState(state, [{ isDelivered: true }], after(60))).toEqual(fine);
  });

  test('is unavailable after many failures, with growing pauses up to five minutes', () => {
    let state = nextReceiverState(fine, failures(unavailableAfter - 1), start);
    expect([isUnavailable(state), state.pausedUntil]).toEqual([false, null]);
    const pauses: number[] = [];
    for (let count = 0; count < 8; count += 1) {
      state = nextReceiverState(state, failures(1), start);
      expect(isUnavailable(state)).toBe(true);
      pauses.push(((state.pausedUntil?.getTime() ?? 0) - start.getTime()) / 1_000);
    }
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 300, 300]);
  });

  test('is paused as long as the receiver requests, up to an hour', () => {
    const pausedFor = (patienceSeconds: number) =>
      nextReceiverState(fine, [{ isDelivered: false, patienceSeconds }], start).pausedUntil;
    expect([pausedFor(90), pausedFor(1e6)]).toEqual([after(90), after(3_600)]);
  });

  test('is disabled on 410 and after five days without a success, not before', () => {
    expect(nextReceiverState(fine, [{ isDelivered: false, isGone: true }], start).disabled).toBe('gone');
    const failing = { ...fine, consecutiveFailures: 3, failingSince: start };
    const at = (ms: number) => nextReceiverState(failing, failures(1), new Date(start.getTime() + ms)).disabled;
    expect([at(5 * dayMs - 1), at(5 * dayMs)]).toEqual([undefined, 'failing']);
  });
});

describe('signing secrets', () => {
  const hours = (count: number) => after(count * 3_600);
  const first: SigningSecret[] = [{ secret: mintSecret(), until: null }];

  test('[hook-007] a rotation signs with both secrets for 24 hours, and then with the new one only', () => {
    const fresh = mintSecret();
    const both = rotateSecrets(first, fresh, start);
    const signing = (at: Date) => signingAt(both, at).map(({ secret }) => secret);
    expect(signing(start)).toEqual([fresh, first[0]?.secret]);
    expect(signing(new Date(hours(24).getTime() - 1))).toHaveLength(2);
    expect(signing(hours(24))).toEqual([fresh]);
  });

  test('a second rotation within the grace period does not shorten the first', () => {
    const twice = rotateSecrets(rotateSecrets(first, mintSecret(), start), mintSecret(), hours(1));
    expect(twice.map(({ until }) => until)).toEqual([null, hours(25).toISOString(), hours(24).toISOString()]);
    expect(rotateSecrets(twice, mintSecret(), hours(30))).toHaveLength(2);
  });

  test('[hook-007] [hook-020] signatures over three rotations verify with every current secret, and changed requests never do', async () => {
    expect(await trySignatures({ deliveries: 1_000, mutations: 2_000 })).toEqual({ refused: 0, accepted: 0 });
  });

  test('[hook-020] the signature is the HMAC-SHA256 of id, time and body under the 32 bytes of the secret', () => {
    const [secret] = first;
    if (!secret) throw new Error('no secret');
    const headers = signatureHeaders([keyOf(secret)], 'id-1', start, '{"a":1}');
    const key = Buffer.from(secret.secret.slice(6), 'base64');
    const expected = createHmac('sha256', key)
      .update(`id-1.${start.getTime() / 1_000}.{"a":1}`)
      .digest('base64');
    expect(key).toHaveLength(32);
    expect(headers['webhook-signature']).toBe(`v1,${expected}`);
  });
});

test('added event types apply from now on, existing ones continue at their position', () => {
  const before = { events: ['a', 'b'], providers: ['service'], since: { b: '7' } };
  const after = (events: string[], providers = ['service']) => sinceAfter(before, { events, providers }, '50');
  expect(after(['a', 'b', 'c'])).toEqual({ b: '7', c: '50' });
  expect(after(['a'])).toEqual({});
  expect(sinceAfter({ ...before, providers: ['messaging'] }, { events: ['a'], providers: ['service'] }, '9')).toEqual({
    a: '9',
  });
});

test('[evnt-005] [evnt-006] every event is serialised the same way, whatever the field order of its store', () => {
  const body = (type: (typeof liveEventNames)[number], entries: [string, unknown][]) =>
    JSON.stringify(envelopeOf({ id: 'id', type, payload: Object.fromEntries(entries), occurredAt: start }, null));
  for (const type of liveEventNames) {
    const sample = Object.entries(events[type].sample);
    expect(body(type, sample)).toBe(body(type, sample.toReversed()));
    expect(JSON.parse(body(type, sample))).toMatchObject({
      provider: 'service',
      type,
      occurred_at: start.toISOString(),
    });
  }
  // Pinned: a replay must send the same bytes as earlier releases.
  expect(body('connection.revoked', Object.entries(events['connection.revoked'].sample))).toBe(
    '{"id":"id","type":"connection.revoked","occurred_at":"2026-06-15T12:00:00.000Z","app_id":null,"provider":"service",' +
      '"connection_id":"01a8e3c4-5b6d-7e8f-9a0b-1c2d3e4f5a6f","data":{"profile_id":"01a8e3c4-5b6d-7e8f-9a0b-1c2d3e4f5a6d",' +
      '"connection_id":"01a8e3c4-5b6d-7e8f-9a0b-1c2d3e4f5a6f","provider":"social_ads"}}',
  );
});
