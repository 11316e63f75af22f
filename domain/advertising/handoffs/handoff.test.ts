import { type HandoffReason, handoffReasons, namesOf } from '@tributary/vocabulary';
import { describe, expect, test } from 'vitest';
import { getExpiry, getFinalOutcome, getStage, type Handoff, outcomeForEnding, settle } from './handoff.ts';

const minted = new Date('2026-03-01T12:00:00Z');
const after = (minutes: number) => new Date(minted.getTime() + minutes * 60_000);
const pending: Handoff = {
  status: 'pending',
  expiresAt: getExpiry(minted),
  claimedAt: null,
  reason: null,
  candidateCount: null,
};
const completed = { ...pending, status: 'completed' };
const failed = { ...pending, status: 'failed', reason: 'provider_error' };

test.each<[string, Handoff, number, ReturnType<typeof getStage>, object | undefined]>([
  ['just created', pending, 0, 'open', undefined],
  ['about to expire', pending, 44.999, 'open', undefined],
  ['expired', pending, 45, 'lapsed', { status: 'failed', reason: 'handoff_expired' }],
  [
    'marked as expired',
    { ...failed, reason: 'handoff_expired' },
    50,
    'lapsed',
    { status: 'failed', reason: 'handoff_expired' },
  ],
  ['claimed', { ...pending, claimedAt: after(1) }, 3.9, 'finishing', { status: 'failed', reason: 'handoff_used' }],
  ['claimed by an interrupted consent', { ...pending, claimedAt: after(1) }, 4, 'open', undefined],
  ['claimed past its expiry', { ...pending, claimedAt: after(44) }, 46, 'finishing', { reason: 'handoff_used' }],
  ['interrupted past its expiry', { ...pending, claimedAt: after(44) }, 47, 'lapsed', { reason: 'handoff_expired' }],
  ['connected', completed, 10, 'completed', { status: 'success' }],
  ['connected long ago', completed, 500, 'completed', { status: 'success' }],
  [
    'to be chosen',
    { ...completed, candidateCount: 4 },
    10,
    'completed',
    { status: 'pending_selection', candidateCount: 4 },
  ],
  ['failed', failed, 10, 'ended', { status: 'failed', reason: 'handoff_used' }],
  ['failed and expired', failed, 60, 'ended', { status: 'failed', reason: 'handoff_used' }],
  ['cancelled', { ...failed, status: 'cancelled', reason: 'user_cancelled' }, 10, 'ended', { reason: 'handoff_used' }],
])('a hand-off that is %s', (_, handoff, minutes, stage, outcome) => {
  expect(getStage(handoff, after(minutes))).toBe(stage);
  const answer = getFinalOutcome(handoff, after(minutes));
  if (outcome) expect(answer).toMatchObject(outcome);
  else expect(answer).toBeUndefined();
});

describe('a consent ends', () => {
  const none = { connectionId: null, candidateCount: null, selectionExpiresAt: null, reason: null };

  test('with a connection or a pending selection', () => {
    expect(settle({ connectionId: 'c' })).toEqual({ ...none, status: 'completed', connectionId: 'c' });
    expect(outcomeForEnding({ connectionId: 'c' })).toEqual({ status: 'success' });
    const choice = { candidateCount: 3, selectionExpiresAt: after(60) };
    expect(settle(choice)).toEqual({ ...none, status: 'completed', ...choice });
    expect(outcomeForEnding(choice)).toEqual({ status: 'pending_selection', candidateCount: 3 });
  });

  test.each(namesOf(handoffReasons))('with %s', (reason: HandoffReason) => {
    const isOpenStill = ['internal_error', 'state_invalid', 'handoff_used'].includes(reason);
    const status = reason === 'user_cancelled' ? 'cancelled' : 'failed';
    expect(settle({ reason })).toEqual(isOpenStill ? undefined : { ...none, status, reason });
    expect(outcomeForEnding({ reason })).toEqual({ status, reason });
  });
});
