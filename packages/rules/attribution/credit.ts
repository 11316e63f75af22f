import type { AttributionModel } from '@tributary/vocabulary';
import { firstTouch } from './models/first_touch.ts';
import { lastNonDirect } from './models/last_non_direct.ts';
import { lastTouch } from './models/last_touch.ts';
import { linear } from './models/linear.ts';
import { positionBased } from './models/position_based.ts';
import { timeDecay } from './models/time_decay.ts';
import type { CreditedTouch, Weigh } from './models/weigh.ts';

/** The rule of every attribution model. A model without a rule does not compile. */
const rules: Readonly<Record<AttributionModel, Weigh>> = {
  last_touch: lastTouch,
  first_touch: firstTouch,
  last_non_direct: lastNonDirect,
  linear,
  time_decay: timeDecay,
  position_based: positionBased,
};

/**
 * Returns the weight of each touch of a path under a model. Throws for an unknown model, because another model's
 * weights would be wrong.
 */
export function weightsOf(model: AttributionModel, path: readonly CreditedTouch[]): bigint[] {
  if (!Object.hasOwn(rules, model)) throw new RangeError(`There is no attribution model ${model}.`);
  return rules[model](path);
}
