import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import type { Accounts } from './accounts.ts';
import { assertPassword } from './assert-password.ts';

export const createTwoFactor: Handles<Routes['createTwoFactor'], { accounts: Accounts }> = async (
  { body },
  context,
) => {
  const { accounts, cookie, effect } = context;
  await assertPassword(accounts, body.current_password, 'createTwoFactor', context);
  const { otpauthUrl, recoveryCodes } = await accounts.secondFactor.begin(cookie ?? '', body.current_password);
  return effect(async () => answer(200, { data: { otpauth_url: otpauthUrl, recovery_codes: [...recoveryCodes] } }));
};
