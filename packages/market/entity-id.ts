import { entityIdOf } from '@tributary/rules';
import type { EntityLevel } from '@tributary/vocabulary';

export type Platform = 'social_ads' | 'search_ads';

/**
 * The product's own function: an id is derived from the ids in the link, so a touch knows its ad before the first
 * sync.
 */
export const entityId = (profileId: string, platform: Platform, level: EntityLevel, externalId: string): string =>
  entityIdOf(profileId, platform, level, externalId);
