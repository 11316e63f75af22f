import type { LookUps } from '@tributary/postgres';

/** The settings of a tracking key that the collector needs. */
export interface TrackingKey {
  readonly profileId: string;
  readonly plan: string;
  readonly allowedHosts: readonly string[];
  readonly ownHosts: readonly string[];
  readonly keepsCity: boolean;
  readonly dailyVisitQuota: number | null;
  readonly isConsentRequired: boolean;
}

/** Returns the active ones of these keys, across all profiles. */
export async function findTrackingKeys(lookUps: LookUps, keys: readonly string[]): Promise<Map<string, TrackingKey>> {
  const rows = await lookUps.lookUp<TrackingKey & { key: string }>(
    `SELECT key, profile_id AS "profileId", plan, allowed_hosts AS "allowedHosts", own_hosts AS "ownHosts",
      keeps_city AS "keepsCity", daily_visit_quota AS "dailyVisitQuota", is_consent_required AS "isConsentRequired"
    FROM find_tracking_keys($1::text[])`,
    [keys],
  );
  return new Map(rows.map(({ key, ...found }) => [key, found]));
}
