import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { saveConnection } from '../save-connection.ts';
import type { ConnectionServices } from '../services.ts';
import { findConnected, findConnection } from '../store.ts';
import { refuseUnusable } from '../with-account.ts';
import { toChatbotResponse } from './chatbot.ts';
import { removeConnection } from './remove-connection.ts';
import { withProvider } from './with-provider.ts';

export const saveChatbotConnection: Handles<
  Routes['saveChatbotConnection'],
  ConnectionServices & { baseUrl: string }
> = async ({ body: input }, context) => {
  const { caller, now } = context;
  const { profileId, workspaceId, appId } = caller;
  const [candidate] = await withProvider(
    context,
    'chatbot',
    async ({ link }, call) => link?.finish(input.api_key, call) ?? refuseUnusable(context, 'provider_not_configured'),
    'api_key',
  );
  if (!candidate) return refuse('validation_error', 'The field "api_key" is not valid: it opens no page.');
  return context.effect(async (tx) => {
    const former = await findConnected(tx, profileId, 'chatbot');
    if (former && former.external_id !== candidate.externalId) await removeConnection(tx, former, now);
    const request = { profileId, workspaceId, appId, channel: 'chatbot', candidate, now } as const;
    const saved = await saveConnection(tx, context, { ...request, credentials: candidate.credentials });
    if (saved === 'account_connected_elsewhere') {
      return refuse(saved, 'A sister profile of the workspace is connected to this page.');
    }
    const row = await findConnection(tx, profileId, saved.connectionId);
    const body = {
      data: toChatbotResponse(row ?? refuse('not_found', 'There is no such connection.'), context.baseUrl),
    };
    return former?.id === saved.connectionId ? answer(200, body) : answer(201, body);
  });
};
