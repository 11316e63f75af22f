import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import type { Accounts } from './accounts.ts';
import { removeOtherSessions } from './store.ts';

export const confirmTwoFactor: Handles<Routes['confirmTwoFactor'], { accounts: Accounts }> = async (
  { body },
  { accounts, caller, cookie, effect, setHeader },
) => {
  const setCookie = await accounts.secondFactor.confirm(cookie ?? '', body.code);
  if (!setCookie) refuse('validation_error', 'The code is not the one that is due now.', { fields: { field: 'code' } });
  const answered = await effect(async (tx) => {
    await removeOtherSessions(tx, caller.userId, accounts.hashOf(setCookie));
    return answer(200, { data: { enabled: true as const } });
  });
  setHeader('set-cookie', setCookie);
  return answered;
};
