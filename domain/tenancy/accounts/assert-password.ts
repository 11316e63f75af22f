import type { RouteId } from '@tributary/contract';
import { type Context, refuse } from '@tributary/operations';
import type { Accounts } from './accounts.ts';
import { findPasswordHash } from './store.ts';

/** Re-authenticates the member, so that a stolen session is not enough. Attempts are rate-limited against password guessing. */
export async function assertPassword(
  accounts: Accounts,
  password: string | undefined,
  route: RouteId,
  context: Context,
): Promise<void> {
  const { caller, servers, addressHash } = context;
  const { userId } = caller;
  if (!userId) return refuse('forbidden', 'Only a signed-in member may do this.');
  if (password === undefined)
    return refuse('current_password_required', 'Send your password as "current_password" as well.');
  await accounts.attempts.take(userId, addressHash);
  const storedHash = await servers.home.unbound.transaction((tx) => findPasswordHash(tx, userId), { readOnly: true });
  if (!storedHash || !(await accounts.passwords.verify(storedHash, password))) {
    await accounts.records.wrongPassword(route, { userId }, context);
    refuse('current_password_invalid', 'The present password is not the one that was sent.');
  }
  await accounts.attempts.right(userId, addressHash);
}
