import type { Routes } from '@tributary/contract';
import { answer, type Handles, type ProfileContext, refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { checkDefinition, type Definition, eventNameKey } from '@tributary/rules';
import { conversionTypeNames, limits } from '@tributary/vocabulary';
import type { Jobs } from '@tributary/work';
import { v7 as uuid } from 'uuid';
import {
  loadDefinitions,
  lockDefinitions,
  type StoredDefinition,
  saveDefinition,
  showDefinition,
} from './definitions.ts';

export interface GoalWish {
  readonly name: string;
  readonly conversion_key?: string | undefined;
  readonly conversion_type?: string | undefined;
  readonly event_names?: readonly string[] | undefined;
  readonly counts_as_cash?: boolean | undefined;
  readonly is_attribution_eligible?: boolean | undefined;
  readonly lookback_window_days?: number | undefined;
  readonly is_default?: boolean | undefined;
}

export const createGoalDefinition: Handles<Routes['createGoalDefinition'], { jobs: Jobs }> = ({ body }, context) =>
  context.effect(async (tx) => {
    const { definition, isNew } = await settleGoal(tx, body, context);
    const shown = { data: showDefinition(definition) };
    return isNew ? answer(201, shown) : answer(200, shown);
  });

export const createGoal: Handles<Routes['createGoal'], { jobs: Jobs }> = ({ body }, context) =>
  context.effect(async (tx) => {
    const key = keyFrom(body.name);
    await lockDefinitions(tx, context.caller.profileId);
    const existing = await loadDefinitions(tx, context.caller.profileId, context.now);
    if (existing.some((definition) => definition.key === key))
      refuse('invalid_state', `There is a goal "${key}" already. The successor of this route can update it.`);
    const { definition } = await settleGoal(
      tx,
      { name: body.name, conversion_key: key, ...(body.event_name && { event_names: [body.event_name] }) },
      context,
    );
    return answer(201, { data: showDefinition(definition) });
  });

export const listGoalDefinitions: Handles<Routes['listGoalDefinitions']> = async (_input, { ledger, caller, now }) => {
  const definitions = await ledger.transaction((tx) => loadDefinitions(tx, caller.profileId, now));
  return answer(200, { data: definitions.map(showDefinition) });
};

/** Creates or updates; what was not said stays as it was. */
export async function settleGoal(
  tx: Tx,
  wish: GoalWish,
  { caller, now, jobs, addToAudit }: ProfileContext & { jobs: Jobs },
): Promise<{ definition: StoredDefinition; isNew: boolean }> {
  const profileId = caller.profileId;
  await lockDefinitions(tx, profileId);
  const existing = await loadDefinitions(tx, profileId, now);
  const key = wish.conversion_key ?? keyFrom(wish.name);
  const before = existing.find((definition) => definition.key === key);
  const checked = checkDefinition(candidate(key, wish, before), existing);
  if (!checked.ok) return explain(checked);
  const definition: StoredDefinition = {
    ...checked.definition,
    id: before?.id ?? uuid(),
    name: wish.name,
    createdAt: before?.createdAt ?? now,
    updatedAt: now,
  };
  await saveDefinition(tx, profileId, definition);
  addToAudit({ detail: { key, is_new: before === undefined } });
  const eventKeys = changedEvents(before, definition);
  if (eventKeys.length > 0)
    await jobs.enqueue(tx, 'spreadDefinition', { profileId, eventKeys, definitionId: definition.id });
  return { definition, isNew: before === undefined };
}

function candidate(key: string, wish: GoalWish, before: Definition | undefined): Definition {
  const isStandard = conversionTypeNames.some((type) => type === key);
  return {
    key,
    conversionType: wish.conversion_type ?? before?.conversionType ?? key,
    eventNames: wish.event_names ?? before?.eventNames ?? [key],
    countsAsCash: wish.counts_as_cash ?? before?.countsAsCash ?? (isStandard && key === 'payment_received'),
    isAttributionEligible: wish.is_attribution_eligible ?? before?.isAttributionEligible ?? true,
    lookbackWindowDays: wish.lookback_window_days ?? before?.lookbackWindowDays ?? limits.lookback.days.default,
    isDefault: wish.is_default ?? before?.isDefault ?? false,
  };
}

function explain(refused: Exclude<ReturnType<typeof checkDefinition>, { ok: true }>): never {
  if (refused.reason === 'event_name_taken') {
    return refuse(
      'invalid_state',
      `The event "${refused.eventName}" belongs to the definition "${refused.takenBy}". An event means one thing only.`,
    );
  }
  const field = {
    key: 'conversion_key',
    conversionType: 'conversion_type',
    eventNames: 'event_names',
    lookbackWindowDays: 'lookback_window_days',
  }[refused.field as 'key' | 'conversionType' | 'eventNames' | 'lookbackWindowDays'];
  return refuse('validation_error', `The field "${field}" is not valid: ${refused.reason.replaceAll('_', ' ')}.`, {
    fields: { field },
  });
}

/** The events whose outcomes mean something else now: exactly those become dirty. */
function changedEvents(before: Definition | undefined, after: Definition): string[] {
  const names = (definition: Definition | undefined) => definition?.eventNames.map(eventNameKey) ?? [];
  const meansTheSame =
    before !== undefined &&
    before.conversionType === after.conversionType &&
    before.countsAsCash === after.countsAsCash &&
    before.isAttributionEligible === after.isAttributionEligible &&
    before.lookbackWindowDays === after.lookbackWindowDays;
  if (!meansTheSame) return [...new Set([...names(before), ...names(after)])];
  const [old, fresh] = [new Set(names(before)), new Set(names(after))];
  return [...old].filter((name) => !fresh.has(name)).concat([...fresh].filter((name) => !old.has(name)));
}

const keyFrom = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+|_+$/g, '')
    .slice(0, 64) || 'goal';
