import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import type { Jobs } from '@tributary/work';
import { saveMeanings, toOutcomeDefinitions } from './outcome-definitions.ts';

export const updateOutcomeDefinition: Handles<Routes['updateOutcomeDefinition'], { jobs: Jobs }> = (
  { params: { id }, body },
  context,
) =>
  context.effect(async (tx) => {
    const input = { id, eventKey: body.event_key, field: 'event_key' };
    const all = await saveMeanings(tx, [input], context, () => refuse('not_found', 'There is no such definition.'));
    const saved = toOutcomeDefinitions(all).find((definition) => definition.id === id);
    return answer(200, { data: saved ?? refuse('not_found', 'There is no such definition.') });
  });
