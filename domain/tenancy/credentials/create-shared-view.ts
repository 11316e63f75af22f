import { links, type Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { dayOf } from '@tributary/rules';
import { dayMs, limits } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { findUserNames } from './creators.ts';
import { hashSecret, mintSecret } from './secret.ts';
import { toViewResponse } from './shared-view.ts';
import { countLiveViews, insertView } from './shared-view-store.ts';

export const createSharedView: Handles<Routes['createSharedView'], { readonly baseUrl: string }> = async (
  { body },
  { caller, effect, now, addToAudit, baseUrl },
) => {
  const { profileId, userId } = caller;
  const { most, days } = limits.sharedViews;
  const expiresAt = body.expires_at ? new Date(body.expires_at) : new Date(now.getTime() + days.default * dayMs);
  if (expiresAt.getTime() > now.getTime() + days.most * dayMs)
    refuse('validation_error', `A link works for at most ${days.most} days.`, { fields: { field: 'expires_at' } });
  if (body.page === 'top-ads' && body.date_to < dayOf(now))
    refuse('validation_error', 'Top ads shows the last days whenever it is read: choose a date_to that lies ahead.', {
      fields: { field: 'date_to' },
    });
  if (!userId) refuse('forbidden', 'Only somebody who is signed in shares a report.');
  return effect(async (tx) => {
    if ((await countLiveViews(tx, profileId, now)) >= most)
      refuse('invalid_state', `A profile has up to ${most} links. Revoke one that nobody needs.`);
    const secret = mintSecret('sharedView');
    const view = {
      id: uuid(),
      name: body.name,
      page: body.page,
      search: body.search,
      from: body.date_from,
      to: body.date_to,
      madeBy: userId,
      createdAt: now,
      expiresAt,
    };
    await insertView(tx, profileId, view, hashSecret(secret));
    addToAudit({ detail: { page: body.page, date_from: body.date_from, date_to: body.date_to } });
    const names = await findUserNames(tx, [userId]);
    return answer(201, { data: { ...toViewResponse(view, names), url: links.sharedView(baseUrl, secret) }, meta: {} });
  });
};
