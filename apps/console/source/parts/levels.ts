import { t } from '../messages/index.ts';
import type { Level } from '../search.ts';

/** The levels that the rows of a report can have. */
export const levelTitles: Readonly<Record<Level, string>> = {
  campaign: t.pages.campaigns,
  ad_set: t.levels.adSets,
  ad: t.levels.ads,
};

export const levelChoices: readonly { readonly value: Level; readonly title: string }[] = [
  { value: 'campaign', title: levelTitles.campaign },
  { value: 'ad_set', title: levelTitles.ad_set },
  { value: 'ad', title: levelTitles.ad },
];
