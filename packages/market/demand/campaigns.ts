import type { TacticName } from '@tributary/vocabulary';

interface DemandCampaign {
  readonly name: string;
  readonly tactic: TacticName;
  /** Cost per thousand impressions, and per click. */
  readonly perThousandShown: number;
  readonly perClick: number;
  /**
   * Push campaigns: the daily probability that a person sees an ad, that it creates a need, and that it is clicked
   * without a need.
   */
  readonly reach?: number;
  readonly effect?: number;
  readonly idleClicks?: number;
  /** Whether it cannot be clicked, and whether delivery prefers people who would buy anyway. */
  readonly isViewOnly?: boolean;
  readonly seeksBuyers?: boolean;
}

/** The index of a campaign is an input of every random number: append new ones at the end. */
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
/** Each campaign alternates between two ads. */
export const adsPerCampaign = 2;

const indexOfCampaign = (name: (typeof demandCampaigns)[number]['name']): number =>
  campaigns.findIndex((campaign) => campaign.name === name);
export const followSocial = indexOfCampaign('retargeting social');
export const followDisplay = indexOfCampaign('retargeting display');
export const brand = indexOfCampaign('brand search');
export const searchA = indexOfCampaign('non-brand A');
export const searchB = indexOfCampaign('non-brand B');
export const shopping = indexOfCampaign('shopping');
export const coupon = indexOfCampaign('coupon affiliate');

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

/** The sources of a visit: a campaign, or one of these. */
export const direct = campaignCount + 0;
export const organic = campaignCount + 1;
export const email = campaignCount + 2;
export const referral = campaignCount + 3;
export const sourceCount = campaignCount + 4;

export const costOf = (campaign: number, shown: number, clicks: number): number => {
  const { perThousandShown = 0, perClick = 0 } = campaigns[campaign] ?? {};
  return (perThousandShown * shown) / 1_000 + perClick * clicks;
};
