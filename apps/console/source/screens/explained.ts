import type { Field } from '../fields.ts';
import type { Explained } from '../search.ts';

/** A total of the profile. Every conversion counts once in it, so the model does not matter. */
export const explainedInOverview = (field: Field): Explained => ({
  report: 'overview',
  field,
  level: 'campaign',
  model: 'last_touch',
});
