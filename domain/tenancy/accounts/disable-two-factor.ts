import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import type { Accounts } from './accounts.ts';
import { assertPassword } from './assert-password.ts';
import { removeOtherSessions } from './store.ts';

export const disableTwoFactor: Handles<Routes['disableTwoFactor'], { accounts: Accounts }> = async (
  { body },
  context,
) => {
  const { accounts, caller, cookie, effect, setHeader } = context;
  await assertPassword(accounts, body.current_password, 'disableTwoFactor', context);
  const setCookie = await accounts.secondFactor.disable(cookie ?? '', body.current_password);
  const answered = await effect(async (tx) => {
    await removeOtherSessions(tx, caller.userId, accounts.hashOf(setCookie));
    return answer(200, { data: { enabled: false as const } });
  });
  setHeader('set-cookie', setCookie);
  return answered;
};
