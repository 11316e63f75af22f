import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import type { Accounts } from './accounts.ts';

export const signIn: Handles<Routes['signIn'], { accounts: Accounts }> = async ({ body }, { accounts, setHeader }) => {
  await accounts.takeAttempt(body.email);
  const signedIn = await accounts.signIn(body.email, body.password);
  if (!signedIn) return refuse('unauthorized', 'The e-mail address or the password is wrong.');
  setHeader('set-cookie', signedIn.setCookie);
  return answer(200, { data: signedIn.user });
};
