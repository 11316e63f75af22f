import { adsPerCampaign, campaignCount } from './campaigns.ts';
import { type Change, type Lived, live } from './live.ts';
import type { DemandMarket } from './world.ts';

/**
 * What a campaign, one of its ads or a group of campaigns caused: what is bought with it, less what is bought when the same world is
 * lived without. Only people who could have met it live differently, so only they live again.
 */
export function causedBy(
  market: DemandMarket,
  { metBy, paidBy }: Lived,
  isOff: NonNullable<Change['isOff']>,
  campaigns: readonly number[],
): number {
  const bits = campaigns.reduce((sum, campaign) => sum | (1 << campaign), 0);
  const among = (person: number) => ((metBy[person] ?? 0) & bits) !== 0;
  const withIt = paidBy.reduce((sum, paid, person) => (among(person) ? sum + paid : sum), 0);
  return withIt - live(market, { isOff }, { among }).value;
}

export interface Caused {
  readonly value: number;
  readonly ads: readonly number[];
}

/** By campaign; by ad only if asked for, because every truth is one more life. */
export function truthOf(market: DemandMarket, lived: Lived, { withAds = false } = {}): Caused[] {
  return Array.from({ length: campaignCount }, (_, campaign) => ({
    value: causedBy(market, lived, (one) => one === campaign, [campaign]),
    ads: withAds
      ? Array.from({ length: adsPerCampaign }, (_, ad) =>
          causedBy(market, lived, (one, its) => one === campaign && its === ad, [campaign]),
        )
      : [],
  }));
}
