import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { saveWish } from './store.ts';

export const updateAlertMail: Handles<Routes['updateAlertMail']> = async ({ body }, { caller, effect }) => {
  const { profileId, userId } = caller;
  if (!userId) refuse('forbidden', 'Only somebody who is signed in gets alerts.');
  return effect(async (tx) => {
    await saveWish(tx, profileId, { userId, isWanted: body.is_wanted, language: body.language });
    return answer(200, { data: body });
  });
};
