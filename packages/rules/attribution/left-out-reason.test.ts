import { describe, expect, test } from 'vitest';
import { type AttributedTouch, pathOf, whyLeftOut } from '../index.ts';

const day = 86_400_000;
const conversion = { at: 100 * day, lookbackDays: 30 };
const touch = (id: number, at: number, sessionId = `s${id}`): AttributedTouch => ({
  touchId: `00000000-0000-7000-8000-${String(id).padStart(12, '0')}`,
  at: at * day,
  sessionId,
  channel: 'email',
  source: 'news',
  medium: 'email',
  platform: '',
  campaignId: null,
  adSetId: null,
  adId: null,
});

describe('the reason why a touch is left out', () => {
  test.each([
    ['after the conversion', touch(1, 100.001), touch(1, 100.001), 'after_conversion'],
    ['before the window', touch(1, 69.999), touch(1, 69.999), 'outside_window'],
    ['repeats a touch of its session', touch(2, 90.1, 's'), touch(1, 90, 's'), 'repeat_of_session'],
    ['beyond the maximum path length', touch(1, 80), touch(1, 80), 'path_full'],
  ])('%s', (_, one, kin, reason) => {
    expect(whyLeftOut(one, conversion, kin.touchId)).toBe(reason);
  });

  test('every touch is either on the path or has a reason', () => {
    const touches = [
      touch(1, 100),
      touch(2, 70),
      touch(3, 69.99),
      touch(4, 100.01),
      ...Array.from({ length: 260 }, (_, n) => touch(10 + n, 71 + n / 10, n % 10 === 0 ? 'same' : `m${n}`)),
    ];
    const path = new Set(pathOf(conversion, touches).touches.map(({ touchId }) => touchId));
    const within = touches.filter(({ at }) => at <= conversion.at && at >= conversion.at - 30 * day);
    const kinOf = ({ sessionId }: AttributedTouch) =>
      within.filter((one) => one.sessionId === sessionId).toSorted((a, b) => a.at - b.at)[0]?.touchId ?? '';
    const left = touches.filter(({ touchId }) => !path.has(touchId));
    const reasons = Map.groupBy(left, (one) => whyLeftOut(one, conversion, kinOf(one)));
    const counts = Object.fromEntries([...reasons].map(([reason, some]) => [reason, some.length]));
    // 262 touches are in the window, of which 25 repeat a session; of the other 237 the path has 200.
    expect([path.size, counts]).toEqual([
      200,
      { after_conversion: 1, outside_window: 1, repeat_of_session: 25, path_full: 37 },
    ]);
  });
});
