import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import type { Accounts } from './accounts.ts';

export const createPasskey: Handles<Routes['createPasskey'], { accounts: Accounts }> = async (
  { body },
  { accounts, cookie, effect, now },
) => {
  const { challenge, name, credential } = body;
  const id = await accounts.passkeys.add(cookie ?? '', challenge, name, { ...credential, clientExtensionResults: {} });
  if (!id)
    return refuse('validation_error', 'This is not the passkey that was asked for, or adding has to begin again.', {
      fields: { field: 'credential' },
    });
  return effect(async () => answer(201, { data: { id, name, created_at: now.toISOString() } }));
};
