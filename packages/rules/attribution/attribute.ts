import { type AttributionModel, attributionModelNames } from '@tributary/vocabulary';
import { allocate } from '../money.ts';
import { weightsOf } from './credit.ts';
import { type Path, pathOf, type Touch, type Window } from './path.ts';

export interface Conversion extends Window {
  /** In minor units of the reporting currency, net of refunds. */
  readonly value: bigint;
}

export interface Attribution extends Path {
  /** Credits in minor units, by model, one for each touch of the path. */
  readonly credits: Readonly<Record<AttributionModel, readonly bigint[]>>;
}

/**
 * Computes the path and the credits of one conversion. `touches` are all touches of the customer, in any order,
 * including repeats.
 */
export function attribute(conversion: Conversion, touches: readonly Touch[]): Attribution {
  const path = pathOf(conversion, touches);
  const credits = Object.fromEntries(
    attributionModelNames.map((model) => [
      model,
      path.touches.length === 0 ? [] : allocate(conversion.value, weightsOf(model, path.touches)),
    ]),
  ) as Record<AttributionModel, bigint[]>;
  return { ...path, credits };
}
