import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { saveConnection } from '../save-connection.ts';
import type { ConnectionServices } from '../services.ts';
import { refuseUnusable } from '../with-account.ts';
import { withProvider } from './with-provider.ts';

export const connectBankLink: Handles<Routes['connectBankLink'], ConnectionServices & { baseUrl: string }> = async (
  { body },
  context,
) => {
  const { caller, now, addToAudit } = context;
  // A retry with the same Idempotency-Key gets the stored response: the token can be exchanged only once.
  const candidates = await withProvider(
    context,
    'bank_link',
    async ({ link }, call) =>
      link?.finish(body.exchange_token, call) ?? refuseUnusable(context, 'provider_not_configured'),
    'exchange_token',
  );
  if (candidates.length === 0) {
    return refuse('invalid_state', 'The link has no account.', { fields: { reason: 'no_candidates' } });
  }
  return context.effect(async (tx) => {
    const connections = [];
    for (const candidate of candidates) {
      const { profileId, workspaceId, appId } = caller;
      const request = { profileId, workspaceId, appId, channel: 'bank_link', candidate, now } as const;
      const saved = await saveConnection(tx, context, { ...request, credentials: candidate.credentials });
      if (saved === 'account_connected_elsewhere') {
        return refuse(saved, 'A sister profile of the workspace is connected to one of these accounts.');
      }
      const account = { external_id: candidate.externalId, name: candidate.name };
      connections.push({ id: saved.connectionId, channel: 'bank_link' as const, account });
    }
    addToAudit({ detail: { connections: connections.map(({ id }) => id) } });
    return answer(201, { data: connections });
  });
};
