import type { Input, Routes } from '@tributary/contract';
import { refuse } from '@tributary/operations';
import { fromMinorUnits } from '@tributary/rules';
import { hourMs } from '@tributary/vocabulary';
import { isArchived } from './ad-state.ts';
import { appliedBy } from './applied-by.ts';
import { checkBudget } from './budget.ts';
import type { Live, Plan } from './request.ts';
import type { AdContext } from './services.ts';
import { performOne } from './single.ts';
import { type Action, findAction, findBudgetChanges } from './store.ts';

type Level = 'campaign' | 'ad_set';

/** Changes the daily budget of a campaign or ad set at its platform. */
export async function changeBudget(
  context: AdContext,
  level: Level,
  externalId: string,
  body: Input<Routes['updateAdSetBudget']>['body'],
) {
  const { ledger, caller } = context;
  const { undoes } = body;
  const undone =
    undoes === undefined
      ? undefined
      : ((await ledger.transaction((tx) => findAction(tx, caller.profileId, undoes))) ?? refuseUndone(level));
  const isUndoable =
    undone?.kind === 'budget' &&
    undone.level === level &&
    undone.externalId === externalId &&
    undone.state === 'applied';
  if (undone && !isUndoable) refuseUndone(level);
  return performOne(context, {
    kind: 'budget',
    level,
    externalId,
    connectionId: body.connection_id,
    appliedBy: await appliedBy(context, body.applied_by),
    isDryRun: body.dry_run,
    plan: (live) => planBudget(context, level, live, body.daily_budget_minor, undone),
    whenUnread: (entity) => {
      if (isArchived(entity)) refuseEdit(level, entity.status);
    },
  });
}

const titles = { campaign: 'campaign', ad_set: 'ad set' } as const satisfies Record<Level, string>;

const refuseUndone = (level: Level): never =>
  refuse('validation_error', `"undoes" must be a change of this ${titles[level]}’s budget that was applied.`, {
    fields: { field: 'undoes' },
  });

function refuseEdit(level: Level, status: string): never {
  if (level === 'campaign')
    refuse('invalid_state', `The campaign is ${status} at the platform.`, {
      fields: { reason: 'campaign_not_editable' },
    });
  refuse('adset_not_editable', `The ad set, or its campaign, is ${status} at the platform.`);
}

function refuseWithoutBudget(level: Level): never {
  if (level === 'campaign')
    refuse('invalid_state', 'The campaign has no daily budget of its own: its ad sets have it, or it is a total.', {
      fields: { reason: 'budget_not_on_campaign' },
    });
  refuse('invalid_state', 'The ad set has no daily budget of its own: its campaign has it, or it is for a lifetime.', {
    fields: { reason: 'budget_not_on_ad_set' },
  });
}

async function planBudget(
  context: AdContext,
  level: Level,
  live: Live,
  wanted: number,
  undone: Action | undefined,
): Promise<Plan> {
  const { ledger, caller, now } = context;
  const { act, account, call, entity, before, provider } = live;
  if (isArchived(live.live)) refuseEdit(level, live.live.status);
  const { campaignStatus } = live.live;
  if (campaignStatus !== undefined && isArchived({ status: campaignStatus })) refuseEdit(level, campaignStatus);
  const { setDailyBudget } = act;
  const { daily_budget_minor: current, currency } = before;
  if (current === null || !setDailyBudget) return refuseWithoutBudget(level);
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
        `The platform allows ${budgetChangesAnHour} changes of a budget an hour, and blocks the ${titles[level]} for one more.`,
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
