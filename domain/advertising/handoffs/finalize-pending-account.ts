import type { Routes } from '@tributary/contract';
import { findConnection, saveConnection } from '@tributary/domain/advertising/connections';
import { answer, type Handles, refuse } from '@tributary/operations';
import { openParked } from './parked.ts';
import { refuseLapsed, refuseNothing, refuseOther } from './refuse-choice.ts';
import { decideChoice } from './selection.ts';
import { finalizeSelection, lockSelection } from './selection-store.ts';
import type { HandoffServices } from './services.ts';

export const finalizePendingAccount: Handles<Routes['finalizePendingAccount'], HandoffServices> = async (
  { params: { provider }, body: { candidate_id } },
  { caller, effect, now, addToAudit, vault, providers, providerOutbound },
) => {
  const { profileId, workspaceId, appId } = caller;
  return effect(async (tx) => {
    const row = await lockSelection(tx, profileId, provider, appId);
    if (!row) refuseNothing();
    const connection = row.connection_id ? await findConnection(tx, profileId, row.connection_id) : undefined;
    const isConnected = connection !== undefined && connection.status !== 'disconnected';
    const selection = { expiresAt: row.expires_at, candidateId: row.candidate_id, isConnected };
    const finalized = (connection_id: string, already_finalized: boolean) =>
      answer(200, { data: { provider, candidate_id, connection_id, already_finalized } });
    switch (decideChoice(selection, candidate_id, now)) {
      case 'nothing':
        return refuseNothing();
      case 'other':
        return refuseOther();
      case 'lapsed':
        return refuseLapsed();
      case 'same':
        return finalized(row.connection_id ?? refuseNothing(), true);
      case 'choose': {
        // The expiry job may have deleted the token before this process's clock reached the expiry.
        const { credentials, candidates } = openParked(vault, { profileId, id: row.id }, row.parked ?? refuseLapsed());
        const candidate = candidates.find(({ externalId }) => externalId === candidate_id);
        if (!candidate)
          refuse('validation_error', 'candidate_id: must be an id of GET /api/v1/connections/pending/{provider}.');
        const request = { profileId, workspaceId, appId: row.app_id ?? undefined, channel: provider, candidate };
        const services = { vault, providers, providerOutbound };
        const saved = await saveConnection(tx, services, { ...request, credentials, now });
        if (saved === 'account_connected_elsewhere')
          refuse(saved, 'Another profile of this workspace holds the account. Disconnect it there, or choose another.');
        await finalizeSelection(tx, row, { candidate_id, connection_id: saved.connectionId });
        addToAudit({ detail: { provider, handoff_id: row.id } });
        return finalized(saved.connectionId, false);
      }
    }
  });
};
