import { randomBytes } from 'node:crypto';
import type { Postgres } from '@tributary/postgres';
import { v7 as uuid } from 'uuid';

export interface TrackingTraits {
  readonly allowedHosts?: readonly string[];
  readonly ownHosts?: readonly string[];
  readonly redirectHosts?: readonly string[];
  readonly keepsCity?: boolean;
  readonly dailyVisitQuota?: number;
  readonly isConsentRequired?: boolean;
}

/** Inserts an active tracking key of a profile, with optional settings. */
export async function buildTrackingKey(
  postgres: Postgres,
  profileId: string,
  traits: TrackingTraits = {},
): Promise<{ readonly id: string; readonly key: string }> {
  const id = uuid();
  const key = `trk_${randomBytes(11).toString('hex')}`;
  const created_at = new Date('2026-01-01T00:00:00Z');
  await postgres.forProfile(profileId).transaction(async (tx) => {
    await tx.insertInto('tracking_keys').values({ profile_id: profileId, id, key, created_at }).execute();
    if (Object.keys(traits).length > 0)
      await tx
        .insertInto('tracking_settings')
        .values({
          profile_id: profileId,
          allowed_hosts: [...(traits.allowedHosts ?? [])],
          own_hosts: [...(traits.ownHosts ?? [])],
          redirect_hosts: [...(traits.redirectHosts ?? [])],
          keeps_city: traits.keepsCity ?? true,
          daily_visit_quota: traits.dailyVisitQuota ?? null,
          is_consent_required: traits.isConsentRequired ?? false,
          updated_at: created_at,
        })
        .execute();
  });
  return { id, key };
}

/** A visit as a browser sends it. */
export function browserVisit(at: Date, changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    id: uuid(),
    at: at.toISOString(),
    type: 'page_view',
    session_id: uuid(),
    is_session_start: true,
    url: 'https://shop.example/shoes?utm_source=newsletter&utm_medium=email',
    ...changes,
  };
}
