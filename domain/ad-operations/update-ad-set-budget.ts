import type { Routes } from '@tributary/contract';
import { type Handles, refuse } from '@tributary/operations';
import { fromMinorUnits } from '@tributary/rules';
import { hourMs } from '@tributary/vocabulary';
import { isOver } from './ad-state.ts';
import { appliedBy } from './applied-by.ts';
import { checkBudget } from './budget.ts';
import type { Live, Plan } from './request.ts';
import type { AdContext, AdServices } from './services.ts';
import { performOne } from './single.ts';
import { type Action, findAction, findBudgetChanges } from './store.ts';

export const updateAdSetBudget: Handles<Routes['updateAdSetBudget'], AdServices> = async (
  { params, body },
  context,
) => {
  const { ledger, caller } = context;
  const undone =
    body.undoes === undefined
      ? undefined
      : ((await ledger.transaction((tx) => findAction(tx, caller.profileId, body.undoes as string))) ?? refuseUndone());
  if (undone && (undone.kind !== 'budget' || undone.externalId !== params.id || undone.state !== 'applied'))
    refuseUndone();
  return performOne(context, {
    kind: 'budget',
    level: 'ad_set',
    externalId: params.id,
    connectionId: body.connection_id,
    appliedBy: await appliedBy(context, body.applied_by),
    isDryRun: body.dry_run,
    plan: (live) => planBudget(context, live, body.daily_budget_minor, undone),
    whenUnread: (entity) => {
      if (isOver(entity)) refuseEdit(entity.status);
    },
  });
};

const refuseUndone = (): never =>
  refuse('validation_error', '"undoes" must be a change of this ad set’s budget that was applied.', {
    fields: { field: 'undoes' },
  });

function refuseEdit(status: string): never {
  refuse('adset_not_editable', `The ad set, or its campaign, is ${status} at the platform.`);
}

async function planBudget(context: AdContext, live: Live, wanted: number, undone: Action | undefined): Promise<Plan> {
  const { ledger, caller, now } = context;
  const { act, account, call, entity, before, provider } = live;
  if (isOver(live.live)) refuseEdit(live.live.status);
  const { campaignStatus } = live.live;
  if (campaignStatus !== undefined && isOver({ status: campaignStatus })) refuseEdit(campaignStatus);
  const { setDailyBudget } = act;
  const { daily_budget_minor: current, currency } = before;
  if (current === null || !setDailyBudget)
    return refuse(
      'invalid_state',
      'The ad set has no daily budget of its own: its campaign has it, or it is for a lifetime.',
      {
        fields: { reason: 'budget_not_on_ad_set' },
      },
    );
  const isUndo = undone?.after?.daily_budget_minor === current && undone.before?.daily_budget_minor === wanted;
  if (wanted !== current && !isUndo) {
    const fault = checkBudget(BigInt(current), BigInt(wanted));
    if (fault) refuse('budget_change_out_of_bounds', fault);
  }
  const { budgetChangesAnHour } = provider.facts;
  if (wanted !== current && budgetChangesAnHour !== undefined) {
    const since = new Date(now.getTime() - hourMs);
    const changes = await ledger.transaction((tx) => findBudgetChanges(tx, caller.profileId, entity, since));
    const earliest = changes.at(-budgetChangesAnHour);
    if (earliest)
      refuse(
        'invalid_state',
        `The platform allows ${budgetChangesAnHour} changes of a budget an hour, and blocks the ad set for one more.`,
        {
          fields: { reason: 'platform_limit', retry_at: new Date(earliest.getTime() + hourMs).toISOString() },
        },
      );
  }
  return {
    wanted: { daily_budget_minor: wanted },
    undoes: isUndo ? undone.id : undefined,
    write: () => setDailyBudget.call(act, account, entity, fromMinorUnits(BigInt(wanted), currency), call),
  };
}
