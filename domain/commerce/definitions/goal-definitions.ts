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
  toGoalDefinition,
} from './definitions.ts';

export interface GoalInput {
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
    const { definition, isNew } = await saveGoal(tx, body, context);
    const content = { data: toGoalDefinition(definition) };
    return isNew ? answer(201, content) : answer(200, content);
  });

export const createGoal: Handles<Routes['createGoal'], { jobs: Jobs }> = ({ body }, context) =>
  context.effect(async (tx) => {
    const key = keyFrom(body.name);
    await lockDefinitions(tx, context.caller.profileId);
    const existing = await loadDefinitions(tx, context.caller.profileId, context.now);
    if (existing.some((definition) => definition.key === key))
      refuse('invalid_state', `There is a goal "${key}" already. The successor of this route can update it.`);
    const { definition } = await saveGoal(
      tx,
      { name: body.name, conversion_key: key, ...(body.event_name && { event_names: [body.event_name] }) },
      context,
    );
    return answer(201, { data: toGoalDefinition(definition) });
  });

export const listGoalDefinitions: Handles<Routes['listGoalDefinitions']> = async (_input, { ledger, caller, now }) => {
  const definitions = await ledger.transaction((tx) => loadDefinitions(tx, caller.profileId, now));
  return answer(200, { data: definitions.map(toGoalDefinition) });
};

/** Creates or updates a goal. Omitted fields keep their values. */
export async function saveGoal(
  tx: Tx,
  input: GoalInput,
  { caller, now, jobs, addToAudit }: ProfileContext & { jobs: Jobs },
): Promise<{ definition: StoredDefinition; isNew: boolean }> {
  const profileId = caller.profileId;
  await lockDefinitions(tx, profileId);
  const existing = await loadDefinitions(tx, profileId, now);
  const key = input.conversion_key ?? keyFrom(input.name);
  const before = existing.find((definition) => definition.key === key);
  const checked = checkDefinition(toDefinition(key, input, before), existing);
  if (!checked.ok) return refuseDefinition(checked);
  const definition: StoredDefinition = {
    ...checked.definition,
    id: before?.id ?? uuid(),
    name: input.name,
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

function toDefinition(key: string, input: GoalInput, before: Definition | undefined): Definition {
  const isStandard = conversionTypeNames.some((type) => type === key);
  return {
    key,
    conversionType: input.conversion_type ?? before?.conversionType ?? key,
    eventNames: input.event_names ?? before?.eventNames ?? [key],
    countsAsCash: input.counts_as_cash ?? before?.countsAsCash ?? (isStandard && key === 'payment_received'),
    isAttributionEligible: input.is_attribution_eligible ?? before?.isAttributionEligible ?? true,
    lookbackWindowDays: input.lookback_window_days ?? before?.lookbackWindowDays ?? limits.lookback.days.default,
    isDefault: input.is_default ?? before?.isDefault ?? false,
  };
}

function refuseDefinition(fault: Exclude<ReturnType<typeof checkDefinition>, { ok: true }>): never {
  if (fault.reason === 'event_name_taken') {
    return refuse(
      'invalid_state',
      `The event "${fault.eventName}" belongs to the definition "${fault.takenBy}". An event means one thing only.`,
    );
  }
  const field = {
    key: 'conversion_key',
    conversionType: 'conversion_type',
    eventNames: 'event_names',
    lookbackWindowDays: 'lookback_window_days',
  }[fault.field as 'key' | 'conversionType' | 'eventNames' | 'lookbackWindowDays'];
  return refuse('validation_error', `The field "${field}" is not valid: ${fault.reason.replaceAll('_', ' ')}.`, {
    fields: { field },
  });
}

/** The events whose meaning changed. Only their outcomes are marked dirty. */
function changedEvents(before: Definition | undefined, after: Definition): string[] {
  const names = (definition: Definition | undefined) => definition?.eventNames.map(eventNameKey) ?? [];
  const isMeaningUnchanged =
    before !== undefined &&
    before.conversionType === after.conversionType &&
    before.countsAsCash === after.countsAsCash &&
    before.isAttributionEligible === after.isAttributionEligible &&
    before.lookbackWindowDays === after.lookbackWindowDays;
  if (!isMeaningUnchanged) return [...new Set([...names(before), ...names(after)])];
  const [previous, current] = [new Set(names(before)), new Set(names(after))];
  return [...previous].filter((name) => !current.has(name)).concat([...current].filter((name) => !previous.has(name)));
}

const keyFrom = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+|_+$/g, '')
    .slice(0, 64) || 'goal';
