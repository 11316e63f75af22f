import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import type { Accounts } from './accounts.ts';

export const signInWithPasskey: Handles<Routes['signInWithPasskey'], { accounts: Accounts }> = async (
  { body },
  context,
) => {
  const { accounts, effect, setHeader, addToAudit } = context;
  const signedIn = await accounts.passkeys.signIn(body.challenge, { ...body.credential, clientExtensionResults: {} });
  if (!signedIn) {
    await accounts.records.wrongCode('signInWithPasskey', context);
    return refuse('unauthorized', 'This passkey is not known here, or signing in has to begin again.');
  }
  const { user, setCookie } = signedIn;
  const answered = await effect(async () => {
    addToAudit({ actor: { kind: 'user', id: user.id }, detail: { passkey: true } });
    return answer(200, { data: user });
  });
  setHeader('set-cookie', setCookie);
  return answered;
};
