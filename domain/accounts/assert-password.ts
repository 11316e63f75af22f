import { type Context, refuse } from '@tributary/operations';
import type { Accounts } from './accounts.ts';
import { findPasswordHash } from './store.ts';

/** Whoever changes how they sign in shows the password again: a borrowed session must not do it, nor serve for guessing. */
export async function assertPassword(
  password: string,
  route: 'createTwoFactor' | 'disableTwoFactor' | 'beginPasskey',
  context: Context & { readonly caller: { readonly userId: string }; readonly accounts: Accounts },
): Promise<void> {
  const { accounts, caller, ledger, addressHash } = context;
  const { userId } = caller;
  await accounts.attempts.take(userId, addressHash);
  const known = await ledger.transaction((tx) => findPasswordHash(tx, userId));
  if (!known || !(await accounts.passwords.verify(known, password))) {
    await accounts.records.wrongPassword(route, { userId }, context);
    refuse('current_password_invalid', 'The present password is not the one that was sent.');
  }
  await accounts.attempts.right(userId, addressHash);
}
