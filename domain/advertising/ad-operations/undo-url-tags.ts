import type { Routes } from '@tributary/contract';
import { type Handles, refuse } from '@tributary/operations';
import { appliedBy } from './applied-by.ts';
import type { AdServices } from './services.ts';
import { performOne } from './single.ts';
import { findLastApplied } from './store.ts';
import { planCreative } from './url-tags.ts';

export const undoUrlTags: Handles<Routes['undoUrlTags'], AdServices> = async ({ body }, context) => {
  const { ledger, caller } = context;
  return performOne(context, {
    kind: 'url_tags_undo',
    level: 'ad',
    externalId: body.ad_id,
    connectionId: body.connection_id,
    appliedBy: await appliedBy(context, body.applied_by),
    isDryRun: body.dry_run,
    async plan(live) {
      const last = await ledger.transaction(
        (tx) => findLastApplied(tx, caller.profileId, live.entity, ['url_tags', 'url_tags_undo']),
        { readOnly: true },
      );
      const creativeId = last?.kind === 'url_tags' ? last.before?.creative_id : undefined;
      if (!last || !creativeId)
        return refuse('invalid_state', 'No tags of ours are on this ad that could be taken back.', {
          fields: { reason: 'nothing_to_undo' },
        });
      return {
        ...(await planCreative(live, creativeId)),
        undoes: last.id,
        after: { url_tags: last.before?.url_tags ?? null },
      };
    },
  });
};
