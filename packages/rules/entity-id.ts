import type { EntityLevel } from '@tributary/vocabulary';
import { v5 as uuidFrom } from 'uuid';

/**
 * The id of a campaign, ad set or ad in a profile, derived from the platform's id. So a touch knows the id of its ad
 * before the first sync, and the sync matches existing touches.
 */
export function entityIdOf(profileId: string, platform: string, level: EntityLevel, externalId: string): string {
  return uuidFrom(JSON.stringify([platform, level, externalId]), profileId);
}
