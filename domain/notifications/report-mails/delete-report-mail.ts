import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { removeMail } from './store.ts';

export const deleteReportMail: Handles<Routes['deleteReportMail']> = async ({ params: { id } }, { caller, effect }) =>
  effect(async (tx) => {
    if (!(await removeMail(tx, caller.profileId, id))) refuse('not_found', 'There is no such mail.');
    return answer(200, { data: { id, deleted: true as const } });
  });
