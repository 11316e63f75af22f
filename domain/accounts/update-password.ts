import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import type { Accounts } from './accounts.ts';
import { findPasswordHash, replacePassword } from './store.ts';

export const updatePassword: Handles<Routes['updatePassword'], { accounts: Accounts }> = async ({ body }, context) => {
  const { accounts, caller, ledger, effect, now, addressHash } = context;
  const { passwords, attempts, records } = accounts;
  const userId = caller.userId;
  const current = body.current_password;
  if (current === undefined) return refuse('current_password_required', 'Send the present password as well.');
  // A borrowed session must not serve for guessing the password either.
  await attempts.take(userId, addressHash);
  const known = await ledger.transaction((tx) => findPasswordHash(tx, userId));
  if (!known || !(await passwords.verify(known, current))) {
    await records.wrongPassword('updatePassword', { userId }, context);
    return refuse('current_password_invalid', 'The present password is not the one that was sent.');
  }
  await attempts.right(userId, addressHash);
  passwords.accept(body.new_password);
  const passwordHash = await passwords.hash(body.new_password);
  return effect(async (tx) => {
    await replacePassword(tx, userId, passwordHash, now, caller.credentialId);
    return answer(200, { data: { changed: true } });
  });
};
