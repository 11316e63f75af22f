import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { eventNameKey } from '@tributary/rules';
import type { Jobs } from '@tributary/work';
import { loadDefinitions, lockDefinitions, removeDefinition } from './definitions.ts';

export const deleteGoalDefinition: Handles<Routes['deleteGoalDefinition'], { jobs: Jobs }> = async (
  { params: { id } },
  { caller: { profileId }, effect, now, jobs, addToAudit },
) =>
  effect(async (tx) => {
    await lockDefinitions(tx, profileId);
    const existing = await loadDefinitions(tx, profileId, now);
    const definition = existing.find((one) => one.id === id);
    if (!definition) refuse('not_found', 'There is no such conversion definition.');
    if (definition.isDefault)
      refuse('invalid_state', `"${definition.name}" is the main goal. Make another definition the main goal first.`);
    // A profile without definitions would get the default ones again.
    if (existing.length === 1) refuse('invalid_state', 'This is the only definition. Create another one first.');
    await removeDefinition(tx, profileId, id);
    addToAudit({ detail: { key: definition.key } });
    const eventKeys = definition.eventNames.map(eventNameKey);
    if (eventKeys.length > 0) await jobs.enqueue(tx, 'spreadDefinition', { profileId, eventKeys });
    return answer(200, { data: { id, deleted: true as const } });
  });
