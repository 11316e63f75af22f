import { countByRegion } from '@tributary/domain/commerce/outcomes';
import type { Tx } from '@tributary/postgres';
import { drawHeldOut, lotsFrom, type Pairs, pairUp, type RegionSums, smallestNoticed } from '@tributary/rules';
import { dayMs, limits } from '@tributary/vocabulary';
import { refuseExperiment } from './refuse-experiment.ts';
import type { Power } from './store.ts';

interface PlanParams {
  readonly days: number;
  readonly coolDownDays: number;
  readonly expectedPct: number;
  readonly excluded: readonly string[];
  readonly seed: number;
  readonly now: Date;
}

/** Days of baseline per day of the test, to learn how regions compare. */
export const timesBefore = 2;
/** Payments per region before and from a moment. */
export async function sumRegions(
  tx: Tx,
  profileId: string,
  { start, end, before }: { readonly start: Date; readonly end: Date; readonly before: Date },
): Promise<RegionSums[]> {
  const earlier = await countByRegion(tx, profileId, before, start);
  const during = new Map((await countByRegion(tx, profileId, start, end)).map((row) => [row.region, row.payments]));
  return earlier.map(({ region, payments }) => ({ region, before: payments, during: during.get(region) ?? 0 }));
}

/**
 * Pairs, held-out regions and power of a region test. The power comes from the same readout on past days without a treatment: the width of
 * its interval.
 */
export async function planRegions(
  tx: Tx,
  profileId: string,
  { days, coolDownDays, expectedPct, excluded, seed, now }: PlanParams,
): Promise<{ pairs: Pairs; heldOut: readonly string[]; power: Power }> {
  const length = (days + coolDownDays) * dayMs;
  const start = new Date(+now - length);
  const before = new Date(+start - timesBefore * length);
  const all = await sumRegions(tx, profileId, { before, start, end: now });
  const sums = all.filter(({ region, during }) => during > 0 && !excluded.includes(region));
  if (sums.length < limits.experiments.regions.min) return refuseExperiment('too_few_regions');
  const pairs = pairUp(sums.map(({ region, before: earlier, during }) => ({ region, before: earlier + during })));
  const lots = lotsFrom(seed);
  const heldOut = [...drawHeldOut(pairs, lots)].sort();
  const smallest = 100 * smallestNoticed(sums, pairs, lots, seed);
  if (!Number.isFinite(smallest)) return refuseExperiment('too_few_regions');
  return {
    pairs,
    heldOut,
    power: {
      smallest_effect_pct: Math.round(smallest * 100) / 100,
      expected_effect_pct: expectedPct,
      verdict: smallest <= expectedPct ? 'enough' : 'not_enough',
      regions: 2 * pairs.length,
      purchases_before: sums.reduce((sum, one) => sum + one.before + one.during, 0),
    },
  };
}
