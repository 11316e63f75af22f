import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import type { Jobs } from '@tributary/work';
import { giveMeanings, showAll } from './outcome-definitions.ts';

export const updateOutcomeDefinition: Handles<Routes['updateOutcomeDefinition'], { jobs: Jobs }> = (
  { params: { id }, body },
  context,
) =>
  context.effect(async (tx) => {
    const wish = { id, eventKey: body.event_key, field: 'event_key' };
    const all = await giveMeanings(tx, [wish], context, () => refuse('not_found', 'There is no such definition.'));
    const shown = showAll(all).find((definition) => definition.id === id);
    return answer(200, { data: shown ?? refuse('not_found', 'There is no such definition.') });
  });
