import { v5 as uuidFrom } from 'uuid';

/** What an ad platform's things are called, from the largest to the smallest. */
export type EntityLevel = 'campaign' | 'ad_set' | 'ad';

/**
 * The id of an ad platform's thing in a profile. Made from its names alone: a touch knows its ad before the ad was ever synced, and
 * a sync finds the touches that were there first.
 */
export function entityIdOf(profileId: string, platform: string, level: EntityLevel, externalId: string): string {
  return uuidFrom(JSON.stringify([platform, level, externalId]), profileId);
}

/** Stands for no thing, or one that is not known. */
export const noEntityId = '00000000-0000-0000-0000-000000000000';
