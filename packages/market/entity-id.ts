import { entityIdOf } from '@tributary/rules';

export type Platform = 'social_ads' | 'search_ads';
export const levels = ['campaign', 'ad_set', 'ad'] as const;
export type Level = (typeof levels)[number];

/** The product's own: a touch knows its ad before the ad's parents have been heard of, because the id is made of what the link says. */
export const entityId = (profileId: string, platform: Platform, level: Level, externalId: string): string =>
  entityIdOf(profileId, platform, level, externalId);
