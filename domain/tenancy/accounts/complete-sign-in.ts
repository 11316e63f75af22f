import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import type { Accounts } from './accounts.ts';

export const completeSignIn: Handles<Routes['completeSignIn'], { accounts: Accounts }> = async ({ body }, context) => {
  const { accounts, effect, setHeader, addToAudit } = context;
  const signedIn = await accounts.secondFactor.complete(body.challenge, body.code);
  if (!signedIn) {
    await accounts.records.wrongCode('completeSignIn', context);
    return refuse('unauthorized', 'The code is wrong, or signing in has to begin again.');
  }
  const { user, setCookie } = signedIn;
  const answered = await effect(async () => {
    addToAudit({ actor: { kind: 'user', id: user.id }, detail: { second_step: true } });
    return answer(200, { data: user });
  });
  setHeader('set-cookie', setCookie);
  return answered;
};
