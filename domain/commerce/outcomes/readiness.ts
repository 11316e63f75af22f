import type { ReadinessStep } from '@tributary/domain/tenancy/tenants';
import { sql } from 'kysely';

export const outcomesReadiness: ReadinessStep = {
  step: 'crm_or_outcome_source_connected',
  isDone: (profileId) => sql<boolean>`EXISTS (SELECT FROM outcomes WHERE profile_id = ${profileId})`,
};
