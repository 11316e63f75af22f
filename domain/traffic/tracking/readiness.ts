import type { ReadinessStep } from '@tributary/domain/tenancy/tenants';
import { sql } from 'kysely';

export const trackerReadiness: ReadinessStep = {
  step: 'tracker_verified',
  isDone: (profileId) =>
    sql<boolean>`EXISTS (SELECT FROM tracking_verifications WHERE profile_id = ${profileId} AND verified_at IS NOT NULL)`,
};
