import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { limits } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { listViews, lockViews, toViewResponse, upsertView } from './saved-views-store.ts';

export const saveView: Handles<Routes['saveView']> = async ({ body }, { caller, effect, now }) => {
  const { profileId, userId } = caller;
  if (!userId) refuse('forbidden', 'Only somebody who is signed in saves a view.');
  return effect(async (tx) => {
    await lockViews(tx, profileId);
    const existing = await listViews(tx, profileId);
    if (existing.length >= limits.savedViews.most && !existing.some(({ name }) => name === body.name))
      refuse('invalid_state', `A profile has up to ${limits.savedViews.most} of them. Remove one that nobody opens.`);
    const view = { ...body, id: uuid(), savedBy: userId, savedAt: now };
    return answer(200, { data: toViewResponse(await upsertView(tx, profileId, view)) });
  });
};
