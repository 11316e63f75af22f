import type { Routes } from '@tributary/contract';
import { hashSecret, isWellFormedSecret } from '@tributary/domain/tenancy/credentials';
import { answer, type Handles, refuse } from '@tributary/operations';
import type { Accounts } from './accounts.ts';
import { consumePasswordReset, hasPasswordReset } from './password-reset-store.ts';
import { replacePassword } from './store.ts';

export const completePasswordReset: Handles<Routes['completePasswordReset'], { accounts: Accounts }> = async (
  { body },
  { accounts, servers, effect, now, addToAudit },
) => {
  const { token, new_password: password } = body;
  const hash = hashSecret(token);
  const isValid =
    isWellFormedSecret(token, 'passwordReset') &&
    (await servers.home.unbound.transaction((tx) => hasPasswordReset(tx, hash, now), { readOnly: true }));
  if (!isValid) refuseLink();
  accounts.passwords.accept(password);
  const passwordHash = await accounts.passwords.hash(password);
  return effect(async (tx) => {
    const userId = (await consumePasswordReset(tx, hash, now)) ?? refuseLink();
    await replacePassword(tx, userId, passwordHash, now);
    addToAudit({ actor: { kind: 'user', id: userId } });
    return answer(200, { data: { user_id: userId, changed: true as const } });
  });
};

const refuseLink = (): never => refuse('not_found', 'This reset link has expired or was used. Request a new one.');
