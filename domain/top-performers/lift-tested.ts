import type { KnownAd } from '@tributary/domain/campaigns';
import type { Tested } from '@tributary/domain/experiments';
import { limits } from '@tributary/vocabulary';

interface Spent {
  readonly ad_id: string;
  readonly spend: string;
}

const times = limits.experiments.validSpendTimes;

/**
 * The ads that an experiment has measured: those that were tested, or stand under what was. A test holds near the spend that it was made at: what half or twice as much
 * a day would cause, nobody has measured.
 */
export function liftTested(
  tests: readonly Tested[],
  told: readonly Spent[],
  known: ReadonlyMap<string, Pick<KnownAd, 'parentIds'>>,
  days: number,
): ReadonlySet<string> {
  const tested = new Set<string>();
  for (const { entityIds, dailySpend } of tests) {
    const under = told.filter(({ ad_id }) =>
      [ad_id, ...(known.get(ad_id)?.parentIds ?? [])].some((id) => entityIds.includes(id)),
    );
    const spend = under.reduce((sum, row) => sum + Number(row.spend), 0) / days;
    const isNear = dailySpend !== null && spend >= dailySpend / times && spend <= dailySpend * times;
    if (isNear) for (const { ad_id } of under) tested.add(ad_id);
  }
  return tested;
}
