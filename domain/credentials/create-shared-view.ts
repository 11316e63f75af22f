import { links, type Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { limits } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { hashSecret, mintSecret } from './secret.ts';
import { showView } from './shared-view.ts';
import { countLiveViews, insertView } from './shared-view-store.ts';

export const createSharedView: Handles<Routes['createSharedView'], { readonly baseUrl: string }> = async (
  { body },
  { caller, effect, now, addToAudit, baseUrl },
) => {
  const { profileId, userId } = caller;
  const expiresAt = body.expires_at ? new Date(body.expires_at) : null;
  if (!userId) refuse('forbidden', 'Only somebody who is signed in shares a report.');
  return effect(async (tx) => {
    if ((await countLiveViews(tx, profileId, now)) >= limits.sharedViews.most)
      refuse('invalid_state', `A profile has up to ${limits.sharedViews.most} links. Revoke one that nobody needs.`);
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
    return answer(201, { data: { ...showView(view), url: links.sharedView(baseUrl, secret) }, meta: {} });
  });
};
