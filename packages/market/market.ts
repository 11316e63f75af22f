import { dayMs } from '@tributary/vocabulary';
import { v5 as uuidFrom } from 'uuid';
import { type Ad, type Campaign, makeCampaigns } from './ads.ts';
import { type Arrival, adArrivals, unpaidArrivals } from './arrivals.ts';
import { createCalendar } from './calendar.ts';
import { createRates, type Rates } from './rates.ts';

export interface MarketOptions {
  /** The same seed and size give the same market, to the byte. */
  readonly seed: number;
  readonly people: number;
  readonly campaigns?: number;
  readonly days?: number;
  /** The first day, YYYY-MM-DD. */
  readonly start?: string;
  /** The currencies of payments and of ad accounts; the first is the most frequent. */
  readonly currencies?: readonly string[];
  readonly reportingCurrency?: string;
  readonly timeZone?: string;
  /** The average number. */
  readonly touchesPerPerson?: number;
  /** Purchases of each "walk-in" customer. There is one such customer for 20,000 people. */
  readonly walkInPurchases?: number;
  readonly profileId?: string;
  /**
   * A clean market for demos: one currency with a rate, no walk-in, campaigns that run to the end and are fully
   * tagged, effective ads. Otherwise the market has every difficulty, for tests.
   */
  readonly isGentle?: boolean;
}

/** The fixed part of a market, created before any person. A few hundred ads, for any number of people. */
export interface Market {
  readonly seed: number;
  readonly profileId: string;
  readonly people: number;
  readonly days: number;
  /** Start (inclusive) and end (exclusive). */
  readonly from: number;
  readonly until: number;
  readonly timeZone: string;
  readonly currencies: readonly string[];
  readonly reportingCurrency: string;
  readonly touchesPerPerson: number;
  readonly isGentle: boolean;
  readonly walkIns: number;
  readonly walkInPurchases: number;
  readonly campaigns: readonly Campaign[];
  readonly ads: readonly Ad[];
  /** The ads that ran on a day, by the day's index; an ad with a higher weight is repeated. */
  readonly adsByDay: readonly (readonly Ad[])[];
  /** The arrivals from an ad, by the ad's number. */
  readonly adArrivals: readonly (readonly Arrival[])[];
  readonly unpaidArrivals: readonly Arrival[];
  readonly rates: Rates;
  /** The day of a moment in the profile's time zone, YYYY-MM-DD. */
  dayOf(at: number): string;
}

export function openMarket(options: MarketOptions): Market {
  const { seed, people, campaigns: count = 6, days = 90, start = '2026-01-01', timeZone = 'UTC' } = options;
  for (const size of [people, count, days])
    if (!Number.isSafeInteger(size) || size < 1) throw new RangeError('A market has people, campaigns and days.');
  if (people > 0x7000_0000) throw new RangeError('A market has less than two billion people.');
  const isGentle = options.isGentle ?? false;
  const currencies = options.currencies ?? (isGentle ? ['USD'] : ['USD', 'CLP', 'EUR', 'KWD']);
  const reportingCurrency = options.reportingCurrency ?? currencies[0] ?? 'USD';
  const profileId = options.profileId ?? uuidFrom(`profile of market ${seed}`, uuidFrom.URL);
  const from = Date.parse(`${start}T00:00:00Z`);
  if (!Number.isFinite(from)) throw new RangeError(`${start} is no day.`);
  const campaigns = makeCampaigns({ seed, profileId, count, days, currencies, isGentle });
  const ads = campaigns.flatMap(({ adSets }) => adSets.flatMap((adSet) => adSet.ads));
  return {
    seed,
    profileId,
    people,
    days,
    from,
    until: from + days * dayMs,
    timeZone,
    currencies,
    reportingCurrency,
    touchesPerPerson: options.touchesPerPerson ?? 10,
    isGentle,
    walkIns: isGentle ? 0 : Math.ceil(people / 20_000),
    walkInPurchases: options.walkInPurchases ?? Math.min(3_000, Math.ceil(people / 10)),
    campaigns,
    ads,
    adsByDay: Array.from({ length: days }, (_, day) =>
      ads
        .filter((ad) => day >= ad.firstDay && day <= ad.lastDay)
        .flatMap((ad) => Array.from({ length: ad.weight }, () => ad)),
    ),
    adArrivals: ads.map(adArrivals),
    unpaidArrivals,
    rates: createRates({ seed, from, days, currencies: [...currencies, reportingCurrency] }),
    dayOf: createCalendar(timeZone),
  };
}
