import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { adIdTags, tagsFor } from '@tributary/rules';
import { limits } from '@tributary/vocabulary';
import { toActionResponse } from './action-response.ts';
import { listActions } from './list-store.ts';
import type { AdServices } from './services.ts';
import { whyNotReady } from './url-tags-ready.ts';

export const readUrlTags: Handles<Routes['readUrlTags'], AdServices> = async (_input, context) => {
  const { caller, ledger } = context;
  const filter = { kinds: ['url_tags', 'url_tags_undo'], limit: limits.adActions.recent } as const;
  const recent = await ledger.transaction((tx) => listActions(tx, caller.profileId, filter), { readOnly: true });
  const reason = await whyNotReady(context);
  const [platform] = adIdTags.map((one) => one.platform);
  return answer(200, {
    data: {
      can_apply: reason === null,
      reason,
      url_tags: (platform && tagsFor(platform, '')) ?? null,
      recent: recent.map(toActionResponse),
    },
  });
};
