import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import type { Accounts } from './accounts.ts';
import { removeSession } from './store.ts';

/** Deletes the session and, by cascade, the assistants' tokens that it allowed. */
export const signOut: Handles<Routes['signOut'], { accounts: Accounts }> = async (
  _input,
  { accounts, caller, effect, setHeader },
) => {
  const answered = await effect(async (tx) => {
    await removeSession(tx, caller.credentialId);
    return answer(200, { data: { signed_out: true as const } });
  });
  setHeader('set-cookie', accounts.forgetCookie);
  return answered;
};
