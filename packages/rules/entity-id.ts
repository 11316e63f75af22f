import type { EntityLevel } from '@tributary/vocabulary';
import { v5 as uuidFrom } from 'uuid';

/**
 * The id of an ad platform's thing in a profile. Made from its names alone: a touch knows its ad before the ad was ever synced, and
 * a sync finds the touches that were there first.
 */
export function entityIdOf(profileId: string, platform: string, level: EntityLevel, externalId: string): string {
  return uuidFrom(JSON.stringify([platform, level, externalId]), profileId);
}
