import { fromMinorUnits } from '@tributary/rules';
import { dayMs, type EntityLevel, entityLevels } from '@tributary/vocabulary';
import type { Ad, Entity } from './ads.ts';
import type { Platform } from './entity-id.ts';
import type { Market } from './market.ts';
import type { Exposure, Person } from './person.ts';
import { SeededRandom } from './seeded-random.ts';

/** Delivery of an entity on a day as its platform reports it: the platform claims every conversion it can. */
export interface DeliveryRow {
  readonly level: EntityLevel;
  readonly entity: Entity;
  readonly day: string;
  readonly currency: string;
  readonly impressions: number;
  readonly clicks: number;
  /** People, each counted once a day. Not the sum of the levels below. */
  readonly reach: number;
  /** In minor units of `currency`, as is the claimed value. */
  readonly spend: bigint;
  readonly claimedConversions: number;
  readonly claimedValue: bigint;
  /** Views of three seconds, and to the end; null for images. For campaigns and ad sets, the sum of their videos. */
  readonly videoViews: number | null;
  readonly videoCompletions: number | null;
}

/**
 * Each platform claims a payment for its ad last clicked within a week, or else last seen within a day. So a payment
 * may be claimed twice.
 */
const clickDays = 7;
const viewDays = 1;

/**
 * Counts views and clicks of the market's people; impressions to people outside the market are generated when rows
 * are read.
 */
export class DeliveryBook {
  readonly #market: Market;
  readonly #clicks: Float64Array;
  readonly #views: Float64Array;
  readonly #claims: Float64Array;
  readonly #claimedValue: BigInt64Array;
  /** People of the market, by entity and day. */
  readonly #reach: Readonly<Record<EntityLevel, Float64Array>>;
  readonly #place: Readonly<Record<EntityLevel, ReadonlyMap<string, number>>>;

  constructor(market: Market) {
    this.#market = market;
    const cells = market.ads.length * market.days;
    this.#clicks = new Float64Array(cells);
    this.#views = new Float64Array(cells);
    this.#claims = new Float64Array(cells);
    this.#claimedValue = new BigInt64Array(cells);
    const entities = entitiesOf(market);
    const byLevel = <T>(make: (level: EntityLevel) => T) =>
      Object.fromEntries(entityLevels.map((level) => [level, make(level)])) as Record<EntityLevel, T>;
    this.#reach = byLevel((level) => new Float64Array(entities[level].length * market.days));
    this.#place = byLevel((level) => new Map(entities[level].map(({ id }, place) => [id, place])));
  }

  add({ exposures, outcomes }: Person): void {
    const met = { campaign: new Set<number>(), ad_set: new Set<number>(), ad: new Set<number>() };
    for (const { ad, at, isClick } of exposures) {
      const day = this.#dayOf(at);
      const cell = ad.number * this.#market.days + day;
      const seen = isClick ? this.#clicks : this.#views;
      seen[cell] = (seen[cell] as number) + 1;
      for (const [level, { id }] of chainOf(ad)) {
        met[level].add((this.#place[level].get(id) as number) * this.#market.days + day);
      }
    }
    for (const level of entityLevels) {
      for (const cell of met[level]) this.#reach[level][cell] = (this.#reach[level][cell] as number) + 1;
    }
    for (const { eventName, at, money } of outcomes) {
      if (eventName !== 'payment_received' || money === null) continue;
      for (const platform of ['social_ads', 'search_ads'] as const) {
        const claimed = claimedBy(platform, exposures, at);
        if (!claimed) continue;
        const cell = claimed.ad.number * this.#market.days + this.#dayOf(claimed.at);
        this.#claims[cell] = (this.#claims[cell] as number) + 1;
        this.#claimedValue[cell] = (this.#claimedValue[cell] as bigint) + this.#valueFor(claimed.ad, money, at);
      }
    }
  }

  /** A visit that begins in the last minutes of the market may end after it. */
  #dayOf(at: number): number {
    return Math.min(this.#market.days - 1, Math.floor((at - this.#market.from) / dayMs));
  }

  /** The amount paid before refunds: a platform is not informed of refunds. */
  #valueFor(ad: Ad, { paid, currency }: { paid: bigint; currency: string }, at: number): bigint {
    const { rates, dayOf } = this.#market;
    return rates.convert(fromMinorUnits(paid, currency), currency, ad.adSet.campaign.currency, dayOf(at))?.value ?? 0n;
  }

  /** Every day on which an entity ran, ads first. */
  *rows(): Generator<DeliveryRow> {
    const { campaigns, days } = this.#market;
    for (const campaign of campaigns) {
      for (let day = 0; day < days; day += 1) {
        const ofAdSets: Counted[] = [];
        for (const adSet of campaign.adSets) {
          const ofAds = adSet.ads.filter((ad) => isRunning(ad, day)).map((ad) => this.#count(ad, day));
          if (ofAds.length === 0) continue;
          yield* ofAds.map(({ row }) => row);
          const sum = this.#sum('ad_set', adSet, day, ofAds);
          ofAdSets.push(sum);
          yield sum.row;
        }
        if (ofAdSets.length > 0) yield this.#sum('campaign', campaign, day, ofAdSets).row;
      }
    }
  }

  #count(ad: Ad, day: number): Counted {
    const { seed, days } = this.#market;
    const cell = ad.number * days + day;
    const dice = new SeededRandom(seed, 0xde11 + ad.number, day);
    const clicks = this.#clicks[cell] as number;
    const ours = clicks + (this.#views[cell] as number);
    const strangers = dice.below(50) + clicks * (ad.impressionsPerClick - 1);
    const impressions = ours + strangers;
    const { hookRate, holdRate } = ad.creative;
    const videoViews = hookRate === null ? null : Math.floor(impressions * hookRate);
    const outside = Math.floor(strangers * 0.7);
    return {
      outside,
      row: {
        level: 'ad',
        entity: ad,
        day: this.#dateOf(day),
        currency: ad.adSet.campaign.currency,
        impressions,
        clicks,
        reach: outside + (this.#reach.ad[cell] as number),
        spend: BigInt(clicks * ad.costPerClick + dice.below(ad.costPerClick)),
        claimedConversions: this.#claims[cell] as number,
        claimedValue: this.#claimedValue[cell] as bigint,
        videoViews,
        videoCompletions: videoViews === null ? null : Math.floor(videoViews * (holdRate ?? 0)),
      },
    };
  }

  #sum(level: EntityLevel, entity: Entity, day: number, parts: readonly Counted[]): Counted {
    const add = (read: (row: DeliveryRow) => number) => parts.reduce((sum, { row }) => sum + read(row), 0);
    const addMoney = (read: (row: DeliveryRow) => bigint) => parts.reduce((sum, { row }) => sum + read(row), 0n);
    const hasVideo = parts.some(({ row }) => row.videoViews !== null);
    // Some people saw several of them.
    const largest = Math.max(...parts.map(({ outside }) => outside));
    const outside = Math.max(largest, Math.floor(parts.reduce((sum, part) => sum + part.outside, 0) * 0.9));
    const place = this.#place[level].get(entity.id) as number;
    return {
      outside,
      row: {
        level,
        entity,
        day: this.#dateOf(day),
        currency: parts[0]?.row.currency ?? '',
        impressions: add(({ impressions }) => impressions),
        clicks: add(({ clicks }) => clicks),
        reach: outside + (this.#reach[level][place * this.#market.days + day] as number),
        spend: addMoney(({ spend }) => spend),
        claimedConversions: add(({ claimedConversions }) => claimedConversions),
        claimedValue: addMoney(({ claimedValue }) => claimedValue),
        videoViews: hasVideo ? add(({ videoViews }) => videoViews ?? 0) : null,
        videoCompletions: hasVideo ? add(({ videoCompletions }) => videoCompletions ?? 0) : null,
      },
    };
  }

  /** Platform days are in the account's time zone, UTC. */
  #dateOf(day: number): string {
    return new Date(this.#market.from + day * dayMs).toISOString().slice(0, 10);
  }
}

interface Counted {
  readonly row: DeliveryRow;
  /** The part of its reach from outside the market. */
  readonly outside: number;
}

const isRunning = ({ firstDay, lastDay }: Ad, day: number): boolean => day >= firstDay && day <= lastDay;

function entitiesOf({ campaigns, ads }: Market): Record<EntityLevel, readonly Entity[]> {
  return { campaign: campaigns, ad_set: campaigns.flatMap(({ adSets }) => adSets), ad: ads };
}

const chainOf = (ad: Ad): [EntityLevel, Entity][] => [
  ['campaign', ad.adSet.campaign],
  ['ad_set', ad.adSet],
  ['ad', ad],
];

function claimedBy(platform: Platform, exposures: readonly Exposure[], at: number): Exposure | undefined {
  const lastOf = (isClick: boolean, days: number) =>
    exposures
      .filter((one) => one.ad.platform === platform && one.isClick === isClick)
      .filter((one) => one.at <= at && one.at >= at - days * dayMs)
      .reduce<Exposure | undefined>((last, one) => (last && last.at >= one.at ? last : one), undefined);
  return lastOf(true, clickDays) ?? lastOf(false, viewDays);
}
