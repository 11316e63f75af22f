import { attribute } from '@tributary/rules';
import { attributionModelNames } from '@tributary/vocabulary';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { creditOf } from './credit.ts';

const touch = (at: number, index: number) => ({
  touchId: `touch-${index}`,
  at,
  sessionId: null,
  channel: index % 3 === 0 ? 'direct' : 'paid_social',
  source: 'facebook',
  medium: 'paid',
  platform: '',
  campaignId: null,
  adSetId: null,
  adId: null,
});
const paths = fc.uniqueArray(fc.integer({ min: 1, max: 60 * 86_400_000 }), { minLength: 1, maxLength: 20 });

/** A row as the statement writes it, worked out by the reference. */
function rowOf(times: readonly number[], value: bigint) {
  const touches = times.toSorted((a, b) => a - b).map(touch);
  const { credits, touches: path } = attribute({ at: 60 * 86_400_000, lookbackDays: 90, value }, touches);
  const text = (list: readonly bigint[]) => list.map(String);
  const found = path.findLastIndex(({ channel }) => channel !== 'direct');
  return {
    value: String(value),
    lookback_days: 90,
    touch_ids: path.map(({ touchId }) => touchId),
    times: path.map(({ at }) => at),
    last_non_direct: found === -1 ? path.length : found + 1,
    linear: text(credits.linear),
    time_decay: text(credits.time_decay),
    position_based: text(credits.position_based),
    credits,
  };
}

test('the shares of a conversion add up to one under every model, also without money', () => {
  fc.assert(
    fc.property(paths, fc.constantFrom(0n, 1n, 19_990n, -500n), (times, value) => {
      const { shares } = creditOf(rowOf(times, value));
      for (const model of attributionModelNames) {
        const sum = [...shares.values()].reduce((total, share) => total + share[model], 0);
        expect(sum).toBeCloseTo(1, 9);
      }
    }),
  );
});

test('a share is what was credited, under the single-touch models too', () => {
  fc.assert(
    fc.property(paths, (times) => {
      const { credits, ...row } = rowOf(times, 19_990n);
      const { shares } = creditOf(row);
      for (const model of attributionModelNames)
        expect(row.touch_ids.map((id) => shares.get(id)?.[model])).toEqual(
          credits[model].map((credit) => Number(credit) / 19_990),
        );
    }),
  );
});
