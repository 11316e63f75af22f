import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import type { Jobs } from '@tributary/work';
import { saveMeanings, toOutcomeDefinitions } from './outcome-definitions.ts';

export const updateOutcomeDefinitions: Handles<Routes['updateOutcomeDefinitions'], { jobs: Jobs }> = (
  { body },
  context,
) =>
  context.effect(async (tx) => {
    const inputs = body.definitions.map(({ id, event_key }, index) => ({
      id,
      eventKey: event_key,
      field: `definitions.${index}.event_key`,
    }));
    const all = await saveMeanings(tx, inputs, context, (input) => {
      const field = input.field.replace(/event_key$/, 'id');
      return refuse('validation_error', `The field "${field}" is not valid: the profile has no such definition.`, {
        fields: { field },
      });
    });
    return answer(200, { data: toOutcomeDefinitions(all) });
  });
