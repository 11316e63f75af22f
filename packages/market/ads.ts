import { minorDigits } from '@tributary/rules';
import type { EntityLevel } from '@tributary/vocabulary';
import { entityId, type Platform } from './entity-id.ts';
import { unitsForDollar } from './rates.ts';
import { SeededRandom } from './seeded-random.ts';

/** Fields of every level. */
export interface Entity {
  /** The internal id, which touches contain. */
  readonly id: string;
  readonly externalId: string;
  readonly name: string;
  readonly platform: Platform;
}

export interface Campaign extends Entity {
  readonly adSets: readonly AdSet[];
  /** The billing currency of its account. */
  readonly currency: string;
}

export interface AdSet extends Entity {
  readonly campaign: Campaign;
  readonly ads: readonly Ad[];
}

/** Which ids an ad's link contains. Real accounts are never tagged completely. */
export type Tagging = 'all' | 'ad_only' | 'campaign_only' | 'none';

export interface Ad extends Entity {
  /** Its index among all ads of the market. */
  readonly number: number;
  readonly adSet: AdSet;
  readonly creative: Creative;
  readonly tagging: Tagging;
  readonly weight: number;
  /** Days of the market, inclusive. */
  readonly firstDay: number;
  readonly lastDay: number;
  readonly truth: Truth;
  /** In minor units of the campaign's currency. */
  readonly costPerClick: number;
  /** Impressions per click. */
  readonly impressionsPerClick: number;
}

/** The true effect, unknown to everyone in the market. */
export interface Truth {
  /**
   * The probability that a click makes a person buy who would not have bought: P(buys with it) = 1 - (1 - P(buys
   * without)) * (1 - effect).
   */
  readonly clickEffect: number;
  /** The same for a view without a click. */
  readonly viewEffect: number;
}

export interface Creative {
  readonly format: 'image' | 'video' | 'carousel' | 'text';
  readonly headline: string;
  /** The share of viewers who watch three seconds. Null: not a video. */
  readonly hookRate: number | null;
  /** The share of those who watch to the end. */
  readonly holdRate: number | null;
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

const themes = ['Winter sale', 'New arrivals', 'Gift guide', 'Free returns', 'Running shoes', 'Outlet', 'Brand'];
const audiences = ['Prospecting', 'Lookalike', 'Retargeting', 'Broad', 'Loyal'];
const headlines = ['Made to last', 'Only this week', 'Seen on everyone', 'Two for one', 'Back in stock'];

export function makeCampaigns(of: {
  readonly seed: number;
  readonly profileId: string;
  readonly count: number;
  readonly days: number;
  readonly currencies: readonly string[];
  readonly isGentle: boolean;
}): Campaign[] {
  let entityCount = 0;
  const entity = (platform: Platform, level: EntityLevel, name: string): Entity => {
    entityCount += 1;
    const externalId = String(120_000_000_000_000 + (of.seed % 9_999) * 1_000_000 + entityCount);
    return { id: entityId(of.profileId, platform, level, externalId), externalId, name, platform };
  };
  let ads = 0;
  return Array.from({ length: of.count }, (_, index) => {
    const dice = new SeededRandom(of.seed, 0xad5, index);
    const platform: Platform = index % 2 === 0 ? 'social_ads' : 'search_ads';
    const currency = of.currencies[index % of.currencies.length] ?? 'USD';
    // The first campaign always runs, so that every day has one; others start and end.
    const firstDay = index === 0 ? 0 : dice.below(Math.ceil(of.days / 2));
    const ends = index === 0 ? of.days - 1 : dice.between(firstDay, of.days - 1);
    const lastDay = of.isGentle ? of.days - 1 : ends;
    const campaign: Writable<Campaign> = {
      ...entity(platform, 'campaign', nameOf(index, of.isGentle)),
      currency,
      adSets: [],
    };
    campaign.adSets = Array.from({ length: dice.between(2, 3) }, () => {
      const adSet: Writable<AdSet> = {
        ...entity(platform, 'ad_set', `${campaign.name} | ${dice.pick(audiences)}`),
        campaign,
        ads: [],
      };
      adSet.ads = Array.from({ length: dice.between(2, 4) }, (__, place): Ad => {
        const creative = makeCreative(platform, dice);
        const drawnEffect = dice.chance(0.3) ? 0 : dice.between(5, 60) / 1_000;
        const clickEffect = of.isGentle ? drawnEffect + 0.02 : drawnEffect;
        ads += 1;
        return {
          ...entity(platform, 'ad', `${adSet.name} | ${creative.format} ${place + 1}`),
          number: ads - 1,
          adSet,
          creative,
          tagging: of.isGentle ? 'all' : taggingOf(ads - 1, dice),
          weight: dice.between(1, 6),
          firstDay,
          lastDay,
          truth: { clickEffect, viewEffect: clickEffect / 5 },
          costPerClick: Math.max(
            1,
            Math.round(dice.between(15, 140) * unitsForDollar(currency) * 10 ** (minorDigits(currency) - 2)),
          ),
          impressionsPerClick: dice.between(20, 120),
        };
      });
      return adSet;
    });
    return campaign;
  });
}

/**
 * Test markets number their campaigns, so that a name does not reveal the ad; the shop for demos gives each a name.
 */
function nameOf(index: number, isGentle: boolean): string {
  const round = Math.floor(index / themes.length) + 1;
  const theme = themes[index % themes.length] ?? '';
  return isGentle && round === 1 ? theme : `${theme} ${round}`;
}

/** Every market has one ad with each tagging fault, however few its ads. */
function taggingOf(number: number, dice: SeededRandom): Tagging {
  if (number < 4) return (['all', 'ad_only', 'campaign_only', 'none'] as const)[number] ?? 'all';
  const draw = dice.unit();
  return draw < 0.8 ? 'all' : draw < 0.88 ? 'ad_only' : draw < 0.95 ? 'campaign_only' : 'none';
}

function makeCreative(platform: Platform, dice: SeededRandom): Creative {
  const headline = dice.pick(headlines);
  if (platform === 'search_ads') return { format: 'text', headline, hookRate: null, holdRate: null };
  const format = dice.pick(['image', 'video', 'video', 'carousel'] as const);
  if (format !== 'video') return { format, headline, hookRate: null, holdRate: null };
  return { format, headline, hookRate: dice.between(12, 45) / 100, holdRate: dice.between(5, 30) / 100 };
}
