import type { Level } from '../search.ts';
import { say } from '../messages/index.ts';

/** The levels that the rows of a report can have. */
export const levelTitles: Readonly<Record<Level, string>> = {
  campaign: say.pages.campaigns,
  ad_set: say.levels.adSets,
  ad: say.levels.ads,
};

export const levelChoices: readonly { readonly value: Level; readonly title: string }[] = [
  { value: 'campaign', title: levelTitles.campaign },
  { value: 'ad_set', title: levelTitles.ad_set },
  { value: 'ad', title: levelTitles.ad },
];
