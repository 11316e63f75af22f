import { entityIdOf } from '@tributary/rules';
import type { EntityLevel } from '@tributary/vocabulary';

export type Platform = 'social_ads' | 'search_ads';

/** The product's own: a touch knows its ad before the ad's parents have been heard of, because the id is made of what the link says. */
export const entityId = (profileId: string, platform: Platform, level: EntityLevel, externalId: string): string =>
  entityIdOf(profileId, platform, level, externalId);
