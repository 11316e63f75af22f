import { households, Book as MarketBook, openMarket } from '@tributary/market';
import { type Currency, digits, rateOf } from './year-money.ts';

/** Ad costs as the platforms restate them: Meta reports one percent too much in the first three days. */

export const marketOf = (start: string, days: number) => ({
  people: 150,
  campaigns: 4,
  start,
  days,
  currencies: ['USD'],
});

interface AdDay {
  readonly day: string;
  readonly platform: string;
  readonly campaign: string;
  readonly spend: bigint;
}

const restatedFor = 3;
const dayMs = 86_400_000;

/** Cents by day and campaign, as the platform reported them when it was last read. */
export type Spend = ReadonlyMap<string, ReadonlyMap<string, bigint>>;

export class AdBook {
  readonly campaigns: readonly { readonly externalId: string; readonly platform: string }[];
  readonly #days: readonly AdDay[];
  /** The day of the last read, by platform. */
  readonly #lastReadOn = new Map<string, string>();

  constructor(seed: number, start: string, days: number) {
    const market = openMarket({ seed, ...marketOf(start, days) });
    this.campaigns = market.campaigns.map(({ externalId, platform }) => ({ externalId, platform }));
    const campaignOf = new Map(market.ads.map((ad) => [ad.externalId, ad.adSet.campaign]));
    const book = new MarketBook(market);
    for (const household of households(market)) book.add(household);
    this.#days = [...book.delivery.rows()].flatMap(({ level, entity, day, spend, impressions }) => {
      const campaign = campaignOf.get(entity.externalId);
      if (level !== 'ad' || !campaign || impressions === 0) return [];
      return [{ day, platform: entity.platform, campaign: campaign.externalId, spend }];
    });
  }

  markRead(platform: string, day: string): void {
    this.#lastReadOn.set(platform, day);
  }

  /** The spend that the last read of each platform reported. */
  reported(): Spend {
    const reported = new Map<string, Map<string, bigint>>();
    for (const { day, platform, campaign, spend } of this.#days) {
      const lastReadOn = this.#lastReadOn.get(platform);
      if (lastReadOn === undefined || day > lastReadOn) continue;
      const age = (Date.parse(lastReadOn) - Date.parse(day)) / dayMs;
      const cents = platform === 'social_ads' && age < restatedFor ? spend + spend / 100n : spend;
      const ofDay = reported.get(day) ?? new Map<string, bigint>();
      reported.set(day, ofDay);
      ofDay.set(campaign, (ofDay.get(campaign) ?? 0n) + cents);
    }
    return reported;
  }
}

/** Converts the cents of several days to another currency: each day at its own rate, and rounded once. */
export function costOf(cents: Iterable<readonly [day: string, cents: bigint]>, to: Currency): bigint {
  const unit = 10n ** BigInt(digits.USD);
  let exact = 0n;
  for (const [day, amount] of cents) exact += amount * rateOf(to, day) * 10n ** BigInt(digits[to]);
  return (2n * exact + unit) / (2n * unit);
}
