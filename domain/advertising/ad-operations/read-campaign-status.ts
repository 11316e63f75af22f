import { createHash } from 'node:crypto';
import type { Routes } from '@tributary/contract';
import { countActiveAds, listActiveAds, listRecentSpend } from '@tributary/domain/advertising/campaigns';
import { withAccount } from '@tributary/domain/advertising/connections';
import { answer, type Handles } from '@tributary/operations';
import type { LiveEntity } from '@tributary/providers';
import { isArchived, stateOf } from './ad-state.ts';
import type { AdServices } from './services.ts';
import { findInProgress, findLastApplied } from './store.ts';
import { findTarget, missingPermissions, refuseUnknown, type Target } from './target.ts';

const spendDays = 7;
const adsShown = 100;

export const readCampaignStatus: Handles<Routes['readCampaignStatus'], AdServices> = async (
  { params, query },
  context,
) => {
  const { ledger, caller } = context;
  const { profileId } = caller;
  const target = await findTarget(
    context,
    { level: 'campaign', externalId: params.id, connectionId: query.connection_id },
    'invalid_parameter',
  );
  const { entity, act, connection } = target;
  const live = await withAccount(context, connection.id, ({ account }, call) => act.read(account, entity, call));
  if (!live) return refuseUnknown('campaign');
  const stored = await ledger.transaction(
    async (tx) => ({
      activeAds: await countActiveAds(tx, profileId, entity.id),
      ads: await listActiveAds(tx, profileId, entity.id, adsShown),
      spend: await listRecentSpend(tx, profileId, entity.id, spendDays),
      inProgress: await findInProgress(tx, profileId, entity),
      last: await findLastApplied(tx, profileId, entity, ['pause', 'resume']),
    }),
    { readOnly: true },
  );
  const { status, currency, daily_budget, daily_budget_minor } = stateOf(live);
  const isRunning = status === 'ACTIVE';
  const tokenParts = [profileId, entity.id, status, daily_budget, stored.last?.id ?? null];
  return answer(200, {
    data: {
      campaign_id: entity.id,
      connection_id: connection.id,
      external_id: entity.externalId,
      platform: entity.platform,
      name: live.name || entity.name || entity.externalId,
      status,
      currency,
      daily_budget,
      daily_budget_minor,
      affected_ads_count: isRunning ? (live.activeAds ?? stored.activeAds) : 0,
      affected_ads: (isRunning ? stored.ads : []).map(({ externalId, name }) => ({ external_id: externalId, name })),
      recent_daily_spend: stored.spend.map((row) => ({ date: row.day, spend: row.spend, currency: row.currency })),
      actions: {
        pause: available('pause', live, target, stored.inProgress !== undefined),
        resume: available('resume', live, target, stored.inProgress !== undefined),
      },
      confirm_token: `ct_${createHash('sha256').update(JSON.stringify(tokenParts)).digest('base64url').slice(0, 32)}`,
    },
  });
};

/** Whether an action would change something now, and the reason if not. */
function available(kind: 'pause' | 'resume', live: LiveEntity, target: Target, isInProgress: boolean) {
  const reason =
    missingPermissions(target).length > 0
      ? 'meta_write_permission_missing'
      : isArchived(live)
        ? kind === 'pause'
          ? 'campaign_not_pausable'
          : 'campaign_not_resumable'
        : isInProgress
          ? 'action_in_progress'
          : live.status === (kind === 'pause' ? 'PAUSED' : 'ACTIVE')
            ? 'no_change'
            : null;
  return { available: reason === null, reason };
}
