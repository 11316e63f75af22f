import type { StoredAd } from '@tributary/domain/advertising/campaigns';
import { isNearTested, type ValidTest } from '@tributary/domain/measurement/experiments';

interface AdSpend {
  readonly ad_id: string;
  readonly spend: string;
}

/** The ads measured by an experiment: tested themselves or below a tested entity, with spend near the tested one. */
export function liftTested(
  tests: readonly Pick<ValidTest, 'entityIds' | 'dailySpend'>[],
  figures: readonly AdSpend[],
  ads: ReadonlyMap<string, Pick<StoredAd, 'parentIds'>>,
  days: number,
): ReadonlySet<string> {
  const tested = new Set<string>();
  for (const test of tests) {
    const under = figures.filter(({ ad_id }) =>
      [ad_id, ...(ads.get(ad_id)?.parentIds ?? [])].some((id) => test.entityIds.includes(id)),
    );
    const spend = under.reduce((sum, row) => sum + Number(row.spend), 0) / days;
    if (isNearTested(test, spend)) for (const { ad_id } of under) tested.add(ad_id);
  }
  return tested;
}
