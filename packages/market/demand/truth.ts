import { adsPerCampaign, campaignCount } from './campaigns.ts';
import { type Change, type Lived, live } from './simulate.ts';
import type { DemandMarket } from './world.ts';

/**
 * What a campaign, one of its ads or a group of campaigns caused: purchases with it, minus purchases when the same
 * world is simulated without it. Only people who could have been exposed behave differently, so only they are
 * simulated again.
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

/** By campaign; by ad only on request, because each figure needs another simulation. */
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
