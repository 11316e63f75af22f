import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { openParked } from './parked.ts';
import { refuseLapsed, refuseNothing } from './refuse-choice.ts';
import { decideChoice } from './selection.ts';
import { findSelection } from './selection-store.ts';
import type { HandoffServices } from './services.ts';

export const listPendingAccounts: Handles<Routes['listPendingAccounts'], HandoffServices> = async (
  { params: { provider } },
  { caller: { profileId, appId }, ledger, now, vault },
) => {
  const row = await ledger.transaction((tx) => findSelection(tx, profileId, provider, appId), { readOnly: true });
  if (!row) refuseNothing();
  const { id, candidate_id: candidateId, expires_at: expiresAt } = row;
  const choice = decideChoice({ expiresAt, candidateId, isConnected: false }, undefined, now);
  // The expiry job may have deleted the token before this process's clock reached the expiry.
  if (choice === 'lapsed' || (choice === 'choose' && !row.parked)) refuseLapsed();
  if (choice !== 'choose' || !row.parked) refuseNothing();
  const { candidates } = openParked(vault, { profileId, id }, row.parked);
  return answer(200, {
    data: candidates.map(({ externalId, name }) => ({ id: externalId, name: name === '' ? externalId : name })),
    meta: { handoff_id: id, expires_at: expiresAt.toISOString() },
  });
};
