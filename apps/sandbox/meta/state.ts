import type { Ad, AdSet, Campaign } from '@tributary/market';
import { learningStages } from '@tributary/vocabulary';
import type { World } from '../world.ts';

export interface MetaAccount {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly currency: string;
  readonly timeZone: string;
  readonly pixels: readonly { readonly id: string; readonly name: string; readonly isUnavailable: boolean }[];
}

interface Node {
  readonly id: string;
  readonly account: MetaAccount;
  name: string;
  status: string;
}

export interface MetaCampaign extends Node {
  readonly of: Campaign;
  /** In Meta's unit of the account's currency; undefined: the ad sets have their own budgets. */
  dailyBudget: string | undefined;
}

export interface MetaAdSet extends Node {
  readonly of: AdSet;
  readonly campaign: MetaCampaign;
  dailyBudget: string | undefined;
  /** The timestamps of budget changes within the last hour, in ms. */
  budgetChanges: number[];
  learning: { status: string; lastSignificantEdit: number };
}

export interface MetaAd extends Node {
  readonly of: Ad;
  adSet: MetaAdSet;
  creativeId: string;
}

export interface MetaCreative {
  readonly id: string;
  readonly account: MetaAccount;
  readonly name: string;
  readonly title: string;
  readonly body: string;
  readonly videoId: string | undefined;
  readonly storyId: string;
  readonly isCarousel: boolean;
  readonly urlTags: string | undefined;
}

export interface MetaState {
  readonly accounts: readonly MetaAccount[];
  readonly campaigns: readonly MetaCampaign[];
  readonly adSets: readonly MetaAdSet[];
  readonly ads: readonly MetaAd[];
  readonly creatives: Map<string, MetaCreative>;
  /** Days with restated spend, by `restatedKey`: the percentage of the amount reported first. */
  readonly restated: Map<string, number>;
  find(id: string): MetaCampaign | MetaAdSet | MetaAd | undefined;
}

/** Currencies that Meta counts in whole units. Deliberately independent of the provider's table, so that each checks the other. */
const wholeUnits = 'CLP COP CRC HUF IDR ISK JPY KRW PYG TWD VND'.split(' ');
export const metaUnits = (major: number, currency: string): string =>
  String(Math.round(major * (wholeUnits.includes(currency) ? 1 : 100)));

const tags = 'utm_source=facebook&utm_campaign={{campaign.id}}&utm_content={{ad.id}}';

/** The market's campaigns on this platform, one ad account per currency. */
export function createState({ market }: World): MetaState {
  const mine = market.campaigns.filter(({ platform }) => platform === 'social_ads');
  const accounts = [...new Set(mine.map(({ currency }) => currency))].map((currency, place): MetaAccount => {
    const accountId = String(2_000_000_000 + (market.seed % 9_999) * 1_000 + place);
    const pixel = (nth: number) => `${accountId}${nth}`;
    return {
      id: `act_${accountId}`,
      accountId,
      name: `Sandbox ads ${currency}`,
      currency,
      timeZone: 'UTC',
      pixels: [
        { id: pixel(1), name: 'Shop', isUnavailable: false },
        { id: pixel(2), name: 'Old shop', isUnavailable: true },
      ],
    };
  });
  const creatives = new Map<string, MetaCreative>();
  const campaigns = mine.map((of, place): MetaCampaign => {
    const account = accounts.find(({ currency }) => currency === of.currency) as MetaAccount;
    // Every fourth campaign has a campaign budget, and its ad sets have none.
    const dailyBudget = place % 4 === 3 ? metaUnits(90.5, of.currency) : undefined;
    return { id: of.externalId, account, name: of.name, status: 'ACTIVE', of, dailyBudget };
  });
  const adSets = campaigns.flatMap((campaign) =>
    campaign.of.adSets.map((of, place): MetaAdSet => {
      const dailyBudget = campaign.dailyBudget === undefined ? metaUnits(40 + place, campaign.of.currency) : undefined;
      const learning = { status: learningStages[place % learningStages.length] as string, lastSignificantEdit: 0 };
      const { account } = campaign;
      return {
        id: of.externalId,
        account,
        name: of.name,
        status: 'ACTIVE',
        of,
        campaign,
        dailyBudget,
        budgetChanges: [],
        learning,
      };
    }),
  );
  const ads = adSets.flatMap((adSet) =>
    adSet.of.ads.map((of, place): MetaAd => {
      const creativeId = `9${of.externalId}`;
      creatives.set(creativeId, {
        id: creativeId,
        account: adSet.account,
        name: `Creative of ${of.name}`,
        title: of.creative.headline,
        body: `${of.creative.headline}, today.`,
        videoId: of.creative.format === 'video' ? `8${of.externalId}` : undefined,
        storyId: `7000001_${of.externalId}`,
        isCarousel: of.creative.format === 'carousel',
        urlTags: of.tagging === 'none' ? undefined : tags,
      });
      const status = place === 3 ? 'ARCHIVED' : 'ACTIVE';
      return { id: of.externalId, account: adSet.account, name: of.name, status, of, adSet, creativeId };
    }),
  );
  const byId = new Map([...campaigns, ...adSets, ...ads].map((node) => [node.id, node] as const));
  return { accounts, campaigns, adSets, ads, creatives, restated: new Map(), find: (id) => byId.get(id) };
}
