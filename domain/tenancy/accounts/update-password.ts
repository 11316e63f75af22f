import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import type { Accounts } from './accounts.ts';
import { assertPassword } from './assert-password.ts';
import { replacePassword } from './store.ts';

export const updatePassword: Handles<Routes['updatePassword'], { accounts: Accounts }> = async ({ body }, context) => {
  const { accounts, caller, effect, now } = context;
  const { passwords } = accounts;
  await assertPassword(accounts, body.current_password, 'updatePassword', context);
  passwords.accept(body.new_password);
  const passwordHash = await passwords.hash(body.new_password);
  return effect(async (tx) => {
    await replacePassword(tx, caller.userId, passwordHash, now, caller.credentialId);
    return answer(200, { data: { changed: true } });
  });
};
