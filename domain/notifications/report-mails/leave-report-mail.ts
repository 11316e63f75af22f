import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { nilUuid } from '@tributary/vocabulary';
import { removeMail, removeRecipient } from './store.ts';

export const leaveReportMail: Handles<Routes['leaveReportMail']> = async ({ params: { id } }, { caller, effect }) =>
  effect(async (tx) => {
    const left = await removeRecipient(tx, caller.profileId, id, caller.userId ?? nilUuid);
    if (left === undefined) refuse('not_found', 'You get no such mail.');
    if (left === 0) await removeMail(tx, caller.profileId, id);
    return answer(200, { data: { id, deleted: true as const } });
  });
