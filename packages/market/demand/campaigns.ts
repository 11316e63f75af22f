import type { TacticName } from '@tributary/vocabulary';

interface DemandCampaign {
  readonly name: string;
  readonly tactic: TacticName;
  /** In money, for a thousand times shown or for a click. */
  readonly perThousandShown: number;
  readonly perClick: number;
  /** Ads that come to people: how often somebody meets one in a day, how often it makes a need, how often it is clicked without one. */
  readonly reach?: number;
  readonly effect?: number;
  readonly idleClicks?: number;
  /** Whether it can be clicked at all, and whether it is shown to those who would buy anyhow. */
  readonly isViewOnly?: boolean;
  readonly seeksBuyers?: boolean;
}

/** The order is part of every throw: new ones go to the end. */
export const demandCampaigns = [
  {
    name: 'prospecting A',
    tactic: 'push',
    perThousandShown: 90,
    perClick: 0,
    reach: 0.05,
    effect: 0.006,
    idleClicks: 0.008,
  },
  {
    name: 'prospecting B',
    tactic: 'push',
    perThousandShown: 80,
    perClick: 0,
    reach: 0.045,
    effect: 0.002,
    idleClicks: 0.008,
  },
  {
    name: 'clickbait',
    tactic: 'push',
    perThousandShown: 40,
    perClick: 0,
    reach: 0.04,
    effect: 0.0002,
    idleClicks: 0.04,
  },
  {
    name: 'video',
    tactic: 'push',
    perThousandShown: 60,
    perClick: 0,
    reach: 0.12,
    effect: 0.0022,
    idleClicks: 0.0005,
    isViewOnly: true,
  },
  { name: 'retargeting social', tactic: 'retargeting', perThousandShown: 120, perClick: 0 },
  { name: 'retargeting display', tactic: 'retargeting', perThousandShown: 30, perClick: 0 },
  { name: 'brand search', tactic: 'brand', perThousandShown: 0, perClick: 0.5 },
  { name: 'non-brand A', tactic: 'search', perThousandShown: 0, perClick: 1.6 },
  { name: 'non-brand B', tactic: 'search', perThousandShown: 0, perClick: 1.1 },
  { name: 'shopping', tactic: 'search', perThousandShown: 0, perClick: 0.9 },
  { name: 'coupon affiliate', tactic: 'coupon', perThousandShown: 0, perClick: 4 },
  {
    name: 'look-alike',
    tactic: 'push',
    perThousandShown: 140,
    perClick: 0,
    reach: 0.02,
    effect: 0.003,
    idleClicks: 0.012,
    seeksBuyers: true,
  },
] as const satisfies readonly DemandCampaign[];

const campaigns: readonly DemandCampaign[] = demandCampaigns;
export const campaignCount = campaigns.length;
/** Each campaign shows two ads by turns. */
export const adsPerCampaign = 2;

const placeOf = (name: (typeof demandCampaigns)[number]['name']): number =>
  campaigns.findIndex((campaign) => campaign.name === name);
export const followSocial = placeOf('retargeting social');
export const followDisplay = placeOf('retargeting display');
export const brand = placeOf('brand search');
export const searchA = placeOf('non-brand A');
export const searchB = placeOf('non-brand B');
export const shopping = placeOf('shopping');
export const coupon = placeOf('coupon affiliate');

export const pushed = campaigns.flatMap(({ reach, effect, idleClicks, isViewOnly, seeksBuyers }, campaign) =>
  reach === undefined
    ? []
    : [
        {
          campaign,
          reach,
          effect: effect ?? 0,
          idleClicks: idleClicks ?? 0,
          isViewOnly: isViewOnly ?? false,
          seeksBuyers: seeksBuyers ?? false,
        },
      ],
);

/** How people come: by a campaign, or by one of these. */
export const direct = campaignCount + 0;
export const organic = campaignCount + 1;
export const email = campaignCount + 2;
export const referral = campaignCount + 3;
export const sourceCount = campaignCount + 4;

export const costOf = (campaign: number, shown: number, clicks: number): number => {
  const { perThousandShown = 0, perClick = 0 } = campaigns[campaign] ?? {};
  return (perThousandShown * shown) / 1_000 + perClick * clicks;
};
