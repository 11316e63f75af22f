import { refuse } from '@tributary/operations';
import { tagsFor } from '@tributary/rules';
import { isArchived } from './ad-state.ts';
import type { Live, Plan } from './request.ts';

/** Adds the ad's ids to its URL tags and keeps the existing ones. */
export async function planTags({ act, account, call, entity, live, before }: Live): Promise<Plan> {
  if (isArchived(live))
    refuse('invalid_state', `The ad is ${live.status}.`, { fields: { reason: 'archived_or_deleted' } });
  const tags = tagsFor(entity.platform, before.url_tags ?? '');
  const { setUrlTags } = act;
  if (tags === undefined || !setUrlTags)
    return refuse('invalid_state', 'The platform takes no URL parameters from us.', {
      fields: { reason: 'platform_without_tags' },
    });
  return {
    wanted: { url_tags: tags },
    write: () => setUrlTags.call(act, account, entity.externalId, { urlTags: tags }, call),
  };
}

/** Restores an earlier creative of the ad. */
export async function planCreative({ act, account, call, entity, live }: Live, creativeId: string): Promise<Plan> {
  if (isArchived(live))
    refuse('invalid_state', `The ad is ${live.status}.`, { fields: { reason: 'archived_or_deleted' } });
  const { setUrlTags } = act;
  if (!setUrlTags)
    return refuse('invalid_state', 'The platform takes no URL parameters from us.', {
      fields: { reason: 'platform_without_tags' },
    });
  return {
    wanted: { creative_id: creativeId },
    write: () => setUrlTags.call(act, account, entity.externalId, { creativeId }, call),
  };
}
