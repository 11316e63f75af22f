import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import type { Jobs } from '@tributary/work';
import { giveMeanings, showAll } from './outcome-definitions.ts';

export const updateOutcomeDefinitions: Handles<Routes['updateOutcomeDefinitions'], { jobs: Jobs }> = (
  { body },
  context,
) =>
  context.effect(async (tx) => {
    const wishes = body.definitions.map(({ id, event_key }, index) => ({
      id,
      eventKey: event_key,
      field: `definitions.${index}.event_key`,
    }));
    const all = await giveMeanings(tx, wishes, context, (wish) => {
      const field = wish.field.replace(/event_key$/, 'id');
      return refuse('validation_error', `The field "${field}" is not valid: the profile has no such definition.`, {
        fields: { field },
      });
    });
    return answer(200, { data: showAll(all) });
  });
