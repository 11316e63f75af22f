import { attribute, weightsOf } from '@tributary/rules';
import {
  type AttributionModel,
  attributionModelNames,
  dayMs,
  multipleModels,
  singleModels,
} from '@tributary/vocabulary';
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
const paths = fc.uniqueArray(fc.integer({ min: 1, max: 60 * dayMs }), { minLength: 1, maxLength: 20 });

/** A row in the format that the attribution statement writes, computed by the reference implementation. */
function rowOf(times: readonly number[], value: bigint) {
  const touches = times.toSorted((a, b) => a - b).map(touch);
  const { credits, touches: path } = attribute({ at: 60 * dayMs, lookbackDays: 90, value }, touches);
  const byModel = <Model extends AttributionModel, Value>(models: readonly Model[], compute: (model: Model) => Value) =>
    Object.fromEntries(models.map((model) => [model, compute(model)])) as Record<Model, Value>;
  return {
    value: String(value),
    lookback_days: 90,
    touch_ids: path.map(({ touchId }) => touchId),
    times: path.map(({ at }) => at),
    places: byModel(singleModels, (model) => weightsOf(model, path).indexOf(1n) + 1),
    shares: byModel(multipleModels, (model) => credits[model].map(String)),
    credits,
  };
}

test('the shares of a conversion add up to one under every model, also without a value', () => {
  fc.assert(
    fc.property(paths, fc.constantFrom(0n, 1n, 19_990n, -500n), (times, value) => {
      const { shares } = creditOf(rowOf(times, value));
      for (const model of attributionModelNames) {
        const sum = [...shares.values()].reduce((total, share) => total + (share[model] ?? 0), 0);
        expect(sum).toBeCloseTo(1, 9);
      }
    }),
  );
});

test('a share is the credited fraction, under single-touch models too', () => {
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

test('a model that is not computed for the conversion is left out, also for touches outside the path', () => {
  const row = rowOf([1, 2, 3], 19_990n);
  const { shares, noShare } = creditOf({ ...row, shares: { ...row.shares, linear: [] } });
  const others = attributionModelNames.filter((model) => model !== 'linear');
  for (const one of [...shares.values(), noShare]) expect(Object.keys(one)).toEqual(others);
});
