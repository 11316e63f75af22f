import { minorDigits } from '@tributary/rules';
import type { EntityLevel } from '@tributary/vocabulary';
import { Dice } from './dice.ts';
import { entityId, type Platform } from './entity-id.ts';
import { unitsForDollar } from './rates.ts';

/** What every level has. */
export interface Entity {
  /** The internal id, which a touch carries. */
  readonly id: string;
  readonly externalId: string;
  readonly name: string;
  readonly platform: Platform;
}

export interface Campaign extends Entity {
  readonly adSets: readonly AdSet[];
  /** What its account is billed in. */
  readonly currency: string;
}

export interface AdSet extends Entity {
  readonly campaign: Campaign;
  readonly ads: readonly Ad[];
}

/** How much of itself an ad's link says. Accounts are never tagged all through. */
export type Tagging = 'all' | 'ad_only' | 'campaign_only' | 'none';

export interface Ad extends Entity {
  /** Its place among all ads of the market. */
  readonly number: number;
  readonly adSet: AdSet;
  readonly creative: Creative;
  readonly tagging: Tagging;
  readonly weight: number;
  /** Days of the market, both ends among them. */
  readonly firstDay: number;
  readonly lastDay: number;
  readonly truth: Truth;
  /** In minor units of the campaign's currency. */
  readonly costPerClick: number;
  /** Shown so often for one click. */
  readonly impressionsPerClick: number;
}

/** What nobody in the market knows. */
export interface Truth {
  /** The probability that it makes somebody buy who clicked it and would not have bought: P(buys with it) = 1 - (1 - P(buys without)) * (1 - effect). */
  readonly clickEffect: number;
  /** The same for somebody who only saw it. */
  readonly viewEffect: number;
}

export interface Creative {
  readonly format: 'image' | 'video' | 'carousel' | 'text';
  readonly headline: string;
  /** Of those it was shown to, how many watched three seconds. Null: it does not move. */
  readonly hookRate: number | null;
  /** Of those, how many watched to the end. */
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
  let made = 0;
  const entity = (platform: Platform, level: EntityLevel, name: string): Entity => {
    made += 1;
    const externalId = String(120_000_000_000_000 + (of.seed % 9_999) * 1_000_000 + made);
    return { id: entityId(of.profileId, platform, level, externalId), externalId, name, platform };
  };
  let ads = 0;
  return Array.from({ length: of.count }, (_, index) => {
    const dice = new Dice(of.seed, 0xad5, index);
    const platform: Platform = index % 2 === 0 ? 'social_ads' : 'search_ads';
    const currency = of.currencies[index % of.currencies.length] ?? 'USD';
    // The first runs all the time, so that no day is without any; others come and go.
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
        const drawn = dice.chance(0.3) ? 0 : dice.between(5, 60) / 1_000;
        const clickEffect = of.isGentle ? drawn + 0.02 : drawn;
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

/** What is made for tests is numbered, so that no name says which ad it is; a shop's owner gives each a name. */
function nameOf(index: number, isGentle: boolean): string {
  const round = Math.floor(index / themes.length) + 1;
  const theme = themes[index % themes.length] ?? '';
  return isGentle && round === 1 ? theme : `${theme} ${round}`;
}

/** Every market has one of each fault, however few its ads. */
function taggingOf(number: number, dice: Dice): Tagging {
  if (number < 4) return (['all', 'ad_only', 'campaign_only', 'none'] as const)[number] ?? 'all';
  const luck = dice.unit();
  return luck < 0.8 ? 'all' : luck < 0.88 ? 'ad_only' : luck < 0.95 ? 'campaign_only' : 'none';
}

function makeCreative(platform: Platform, dice: Dice): Creative {
  const headline = dice.pick(headlines);
  if (platform === 'search_ads') return { format: 'text', headline, hookRate: null, holdRate: null };
  const format = dice.pick(['image', 'video', 'video', 'carousel'] as const);
  if (format !== 'video') return { format, headline, hookRate: null, holdRate: null };
  return { format, headline, hookRate: dice.between(12, 45) / 100, holdRate: dice.between(5, 30) / 100 };
}
