import type { KnownAd } from '@tributary/domain/campaigns';
import { isNearTested, type Tested } from '@tributary/domain/experiments';

interface Spent {
  readonly ad_id: string;
  readonly spend: string;
}

/** The ads that an experiment has measured: those that were tested, or stand under what was, while their spend is near the tested one. */
export function liftTested(
  tests: readonly Pick<Tested, 'entityIds' | 'dailySpend'>[],
  told: readonly Spent[],
  known: ReadonlyMap<string, Pick<KnownAd, 'parentIds'>>,
  days: number,
): ReadonlySet<string> {
  const tested = new Set<string>();
  for (const test of tests) {
    const under = told.filter(({ ad_id }) =>
      [ad_id, ...(known.get(ad_id)?.parentIds ?? [])].some((id) => test.entityIds.includes(id)),
    );
    const spend = under.reduce((sum, row) => sum + Number(row.spend), 0) / days;
    if (isNearTested(test, spend)) for (const { ad_id } of under) tested.add(ad_id);
  }
  return tested;
}
