import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import type { Accounts } from './accounts.ts';

export const signIn: Handles<Routes['signIn'], { accounts: Accounts }> = async ({ body }, context) => {
  const { accounts, effect, setHeader, addToAudit, addressHash } = context;
  await accounts.attempts.take(body.email, addressHash);
  const signedIn = await accounts.signIn(body.email, body.password);
  if (!signedIn) {
    await accounts.records.wrongPassword('signIn', { email: body.email }, context);
    return refuse('unauthorized', 'The e-mail address or the password is wrong.');
  }
  await accounts.attempts.right(body.email, addressHash);
  if ('challenge' in signedIn)
    return answer(202, { data: { second_step: true as const, challenge: signedIn.challenge } });
  const { user, setCookie } = signedIn;
  // The session already exists, but its cookie is sent only after the audit entry is committed.
  const answered = await effect(async () => {
    addToAudit({ actor: { kind: 'user', id: user.id } });
    return answer(200, { data: user });
  });
  setHeader('set-cookie', setCookie);
  return answered;
};
