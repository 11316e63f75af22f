import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import type { Accounts } from './accounts.ts';

/** Assistants' tokens are gone with the session that allowed them. */
export const signOut: Handles<Routes['signOut'], { accounts: Accounts }> = async (
  _input,
  { accounts, caller, effect, setHeader },
) => {
  await effect((tx) => tx.deleteFrom('sessions').where('id', '=', caller.credentialId).execute());
  setHeader('set-cookie', accounts.forgetCookie);
  return answer(200, { data: { signed_out: true } });
};
