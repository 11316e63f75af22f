import { households, Book as MarketBook, openMarket } from '@tributary/market';
import { type Currency, digits, rateOf } from './year-money.ts';

/** What ads cost, as the platforms restate it: Meta reports a hundredth too much in the first three days. */

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

/** Cents of a campaign on a day: what a platform said when it was last read. */
export type Spend = ReadonlyMap<string, ReadonlyMap<string, bigint>>;

export class AdBook {
  readonly campaigns: readonly { readonly externalId: string; readonly platform: string }[];
  readonly #days: readonly AdDay[];
  /** The day on which a platform was read for the last time. */
  readonly #heardOn = new Map<string, string>();

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
    this.#heardOn.set(platform, day);
  }

  /** By day and campaign, as it is known. */
  known(): Spend {
    const known = new Map<string, Map<string, bigint>>();
    for (const { day, platform, campaign, spend } of this.#days) {
      const heardOn = this.#heardOn.get(platform);
      if (heardOn === undefined || day > heardOn) continue;
      const age = (Date.parse(heardOn) - Date.parse(day)) / dayMs;
      const said = platform === 'social_ads' && age < restatedFor ? spend + spend / 100n : spend;
      const ofDay = known.get(day) ?? new Map<string, bigint>();
      known.set(day, ofDay);
      ofDay.set(campaign, (ofDay.get(campaign) ?? 0n) + said);
    }
    return known;
  }
}

/** Cents of several days in another currency: each day by its own rate, and rounded once. */
export function costOf(cents: Iterable<readonly [day: string, cents: bigint]>, to: Currency): bigint {
  const unit = 10n ** BigInt(digits.USD);
  let exact = 0n;
  for (const [day, amount] of cents) exact += amount * rateOf(to, day) * 10n ** BigInt(digits[to]);
  return (2n * exact + unit) / (2n * unit);
}
