import type { Field } from '../fields.ts';
import type { Explained } from '../search.ts';

/** A figure of the whole profile. Every conversion counts once there, so the model makes no difference. */
export const explainedInOverview = (field: Field): Explained => ({
  report: 'overview',
  field,
  level: 'campaign',
  model: 'last_touch',
});
