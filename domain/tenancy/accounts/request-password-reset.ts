import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { nilUuid } from '@tributary/vocabulary';
import type { Jobs } from '@tributary/work';
import { findUserByEmail } from './store.ts';

export const requestPasswordReset: Handles<
  Routes['requestPasswordReset'],
  { jobs: Jobs; isMailSetUp: boolean }
> = async ({ body: { email, language } }, { effect, jobs, isMailSetUp }) => {
  if (!isMailSetUp)
    refuse('invalid_state', 'This server sends no e-mail. Ask its operator to run: tributary user reset.', {
      fields: { reason: 'mail_not_set_up' },
    });
  return effect(async (tx) => {
    const user = await findUserByEmail(tx, email);
    // An unknown address costs the same work, so that the response time does not reveal which addresses have an account.
    await jobs.enqueue(tx, 'sendPasswordReset', { userId: user?.id ?? nilUuid, language });
    return answer(202, { data: { requested: true as const } });
  });
};
