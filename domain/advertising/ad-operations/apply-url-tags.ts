import { createHash } from 'node:crypto';
import type { Input, Routes } from '@tributary/contract';
import { listTaggableAds } from '@tributary/domain/advertising/campaigns';
import { answer, type Handles, Refusal } from '@tributary/operations';
import { nilUuid, type UrlTagResult } from '@tributary/vocabulary';
import type { ActionAnswer } from './action-response.ts';
import { requireAppliedBy } from './applied-by.ts';
import type { Request } from './request.ts';
import { perform } from './run-ad-action.ts';
import type { AdContext, AdServices } from './services.ts';
import { keyOf } from './single.ts';
import { planTags } from './url-tags.ts';
import { refuseUnlessReady } from './url-tags-ready.ts';

/**
 * Each ad is an action of its own under a key derived from the caller's, so that a repeated request continues where the first one ended.
 */
export const applyUrlTags: Handles<Routes['applyUrlTags'], AdServices> = async ({ body }, context) => {
  const { ledger, caller } = context;
  await refuseUnlessReady(context);
  const by = await requireAppliedBy(context, body.applied_by);
  const adIds = [...new Set(body.ad_ids)];
  const listed = await ledger.transaction(
    (tx) => listTaggableAds(tx, caller.profileId, { after: nilUuid, limit: adIds.length, only: adIds }),
    { readOnly: true },
  );
  const isListed = new Set(listed.map(({ externalId }) => externalId));
  const ads: TagResult[] = [];
  for (const id of adIds) ads.push(isListed.has(id) ? await tag(context, id, by, body) : skipped(id, 'not_listed'));
  const outcome = body.dry_run ? 'dry_run' : ads.some(({ result }) => result === 'applied') ? 'applied' : 'no_change';
  const data = { outcome, ads } as const;
  if (body.dry_run) return answer(200, { data });
  return context.effect(async () => {
    context.addToAudit({
      detail: { outcome, applied_by: by, ads: ads.map(({ ad_external_id: id, result }) => `${id} ${result}`) },
    });
    return answer(200, { data });
  });
};

type Body = Input<Routes['applyUrlTags']>['body'];

interface TagResult {
  readonly ad_external_id: string;
  readonly result: UrlTagResult;
  readonly reason: string | null;
  readonly provider_message: string | null;
  readonly action: ActionAnswer | null;
}

const skipped = (id: string, reason: string, action: ActionAnswer | null = null): TagResult => ({
  ad_external_id: id,
  result: 'skipped',
  reason,
  provider_message: null,
  action,
});

/** A failure of one ad does not affect the others. */
async function tag(context: AdContext, id: string, by: string, body: Body): Promise<TagResult> {
  const request: Request = {
    kind: 'url_tags',
    level: 'ad',
    externalId: id,
    connectionId: body.connection_id,
    appliedBy: by,
    isDryRun: body.dry_run,
    key: keyFor(context, id),
    plan: planTags,
  };
  try {
    const action = await perform(context, request, (end) => context.ledger.transaction(end));
    if (action.outcome === 'no_change') return skipped(id, 'tagged_already', action);
    return { ad_external_id: id, result: 'applied', reason: null, provider_message: null, action };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { reason = error.code, provider_message = null } = error.fields as {
      reason?: string;
      provider_message?: string;
    };
    const isSkipped =
      reason === 'archived_or_deleted' || reason === 'platform_without_tags' || reason === 'action_in_progress';
    if (isSkipped) return skipped(id, reason);
    return {
      ad_external_id: id,
      result: 'refused',
      reason,
      provider_message: provider_message ?? error.message,
      action: null,
    };
  }
}

function keyFor(context: AdContext, id: string): Request['key'] {
  const { keyHash, fingerprint } = keyOf(context);
  return { keyHash: createHash('sha256').update(keyHash).update(id).digest(), fingerprint };
}
