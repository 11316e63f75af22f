import type { Routes } from '@tributary/contract';
import { withAccount } from '@tributary/domain/advertising/connections';
import { answer, type Handles } from '@tributary/operations';
import type { LiveEntity } from '@tributary/providers';
import { isArchived, stateOf } from './ad-state.ts';
import type { AdServices } from './services.ts';
import { findInProgress } from './store.ts';
import { findTarget, missingPermissions, refuseUnknown, type Target } from './target.ts';

export const readAdSetStatus: Handles<Routes['readAdSetStatus'], AdServices> = async ({ params, query }, context) => {
  const { ledger, caller } = context;
  const target = await findTarget(
    context,
    { level: 'ad_set', externalId: params.id, connectionId: query.connection_id },
    'invalid_parameter',
  );
  const { entity, act, connection } = target;
  const live = await withAccount(context, connection.id, ({ account }, call) => act.read(account, entity, call));
  if (!live) return refuseUnknown('ad_set');
  const inProgress = await ledger.transaction((tx) => findInProgress(tx, caller.profileId, entity), { readOnly: true });
  const { status, currency, daily_budget, daily_budget_minor } = stateOf(live);
  const reason = budgetReason(target, live, inProgress !== undefined);
  return answer(200, {
    data: {
      ad_set_id: entity.id,
      external_id: entity.externalId,
      platform: entity.platform,
      name: live.name || entity.name || entity.externalId,
      status,
      currency,
      daily_budget,
      daily_budget_minor,
      actions: { budget: { available: reason === null, reason } },
    },
  });
};

/** The reason why the budget cannot be changed now; null if it can. */
function budgetReason(target: Target, live: LiveEntity, isInProgress: boolean): string | null {
  const { campaignStatus } = live;
  if (missingPermissions(target).length > 0) return 'meta_write_permission_missing';
  if (isArchived(live) || (campaignStatus !== undefined && isArchived({ status: campaignStatus })))
    return 'adset_not_editable';
  if (live.dailyBudget === null || !target.act.setDailyBudget) return 'budget_not_on_ad_set';
  return isInProgress ? 'action_in_progress' : null;
}
