import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { sql } from 'kysely';
import { showProfile } from './profile.ts';

export const readProfile: Handles<Routes['readProfile']> = async (_input, { ledger, caller }) => {
  const profileId = caller.profileId ?? '';
  const row = await ledger.transaction((tx) =>
    tx
      .selectFrom('profiles')
      .selectAll()
      // The facts alone: what outcomes and verifications are is no business of this room.
      .select(sql<boolean>`EXISTS (SELECT FROM outcomes WHERE profile_id = ${profileId})`.as('has_outcomes'))
      .select(
        sql<boolean>`EXISTS (SELECT FROM tracking_verifications WHERE profile_id = ${profileId} AND verified_at IS NOT NULL)`.as(
          'has_tracker',
        ),
      )
      .where('id', '=', profileId)
      .executeTakeFirstOrThrow(),
  );
  // The workspace's own mark is not visible from inside a profile; the credential has looked it up.
  const isAgency = caller.isHealthcare && row.privacy_mode === 'standard';
  return answer(200, {
    data: {
      ...showProfile(row, isAgency),
      readiness: [
        { step: 'attribution_enabled', is_done: row.is_attribution_enabled },
        { step: 'crm_or_outcome_source_connected', is_done: row.has_outcomes },
        { step: 'tracker_verified', is_done: row.has_tracker },
        { step: 'ad_platform_connected', is_done: false },
      ],
    },
  });
};
