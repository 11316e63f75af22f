import type { Routes } from '@tributary/contract';
import { findProfileName, getProfile } from '@tributary/domain/tenancy/tenants';
import { answer, type Handles, refuse } from '@tributary/operations';
import { findView } from './shared-view-store.ts';

export const readSharedView: Handles<Routes['readSharedView']> = async (_input, { caller, ledger }) => {
  const { profileId, credentialId } = caller;
  return ledger.transaction(
    async (tx) => {
      const view = (await findView(tx, profileId, credentialId)) ?? refuse('not_found', 'There is no such link.');
      const { timeZone, currency } = await getProfile(tx, profileId);
      return answer(200, {
        data: {
          name: view.name,
          page: view.page,
          search: view.search,
          date_from: view.from,
          date_to: view.to,
          expires_at: view.expiresAt?.toISOString() ?? null,
          profile_name: (await findProfileName(tx, profileId)) ?? '',
          reporting_currency: currency,
          time_zone: timeZone,
        },
      });
    },
    { readOnly: true },
  );
};
