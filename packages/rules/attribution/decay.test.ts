import { dayMs } from '@tributary/vocabulary';
import { describe, expect, test } from 'vitest';
import { attribute } from './attribute.ts';
import type { Touch } from './path.ts';

/** Computed by hand, independent of the weight tables. */
const credits = (value: bigint, ...daysBefore: number[]) => {
  const at = Date.UTC(2026, 4, 31);
  const touches = daysBefore.map(
    (days, place): Touch => ({
      touchId: `0197a000-0000-7000-8000-00000000000${place}`,
      at: at - days * dayMs,
      sessionId: `0197a000-0000-7000-8000-0000000000a${place}`,
      channel: place === 3 ? 'direct' : 'email',
      source: `source ${place}`,
      medium: '',
      platform: '',
      campaignId: null,
      adSetId: null,
      adId: null,
    }),
  );
  return attribute({ value, at, lookbackDays: 90 }, touches).credits;
};
const shareOut = (value: bigint, ...daysBefore: number[]) => credits(value, ...daysBefore).time_decay.map(Number);

describe('time decay halves the weight of a touch for every week before the last one', () => {
  test.each([
    ['a fortnight, a week, now: 1 to 2 to 4', 700n, [14, 7, 0], [100, 200, 400]],
    // 1 / (1 + 2^-0.5) = 0.585786…
    ['half a week and now: 1 to the root of 2', 10_000n, [3.5, 0], [4_142, 5_858]],
    // 1 / (1 + 2^(-1/7)) = 0.524735…
    ['a day and now', 100_000n, [1, 0], [47_526, 52_474]],
    ['four weeks and now: 1 to 16', 1_700n, [28, 0], [100, 1_600]],
    // The age counts from the path's last touch, not from the conversion.
    ['a week and ten days before: 1 to the 7th root of 8', 10_000n, [10, 7], [4_263, 5_737]],
  ])('%s', (_, value, daysBefore, cents) => {
    expect(shareOut(value, ...daysBefore)).toEqual(cents);
  });
});

/** A change of these values changes stored credits: its migration must call `rules_changed()` (decision 50). */
test('credits four weekly touches, the last one direct, under every model', () => {
  expect(credits(15_000n, 21, 14, 7, 0)).toEqual({
    first_touch: [15_000n, 0n, 0n, 0n],
    last_touch: [0n, 0n, 0n, 15_000n],
    last_non_direct: [0n, 0n, 15_000n, 0n],
    linear: [3_750n, 3_750n, 3_750n, 3_750n],
    time_decay: [1_000n, 2_000n, 4_000n, 8_000n],
    position_based: [6_000n, 1_500n, 1_500n, 6_000n],
  });
});
