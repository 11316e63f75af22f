import { decayWeight } from './decay.ts';

/** How much of a conversion each touch of its path earned, under each model. */

export const attributionModels = [
  'last_touch',
  'first_touch',
  'linear',
  'time_decay',
  'last_non_direct',
  'position_based',
] as const;
export type AttributionModel = (typeof attributionModels)[number];

/** What the models look at. */
export interface CreditedTouch {
  readonly at: number;
  readonly channel: string;
}

/** Integer weights, one a touch. A touch has a share in the conversion if and only if its weight is above zero. */
export function weightsOf(model: AttributionModel, path: readonly CreditedTouch[]): bigint[] {
  const last = path.length - 1;
  const only = (place: number) => path.map((_, index) => (index === place ? 1n : 0n));
  switch (model) {
    case 'last_touch':
      return only(last);
    case 'first_touch':
      return only(0);
    case 'last_non_direct':
      return only(lastNonDirect(path));
    case 'linear':
      return path.map(() => 1n);
    case 'time_decay':
      return path.map(({ at }) => decayWeight((path[last]?.at ?? at) - at));
    case 'position_based':
      return positionWeights(path.length);
  }
}

/** Where all came directly, the last of them. */
export function lastNonDirect(path: readonly CreditedTouch[]): number {
  const found = path.findLastIndex(({ channel }) => channel !== 'direct');
  return found === -1 ? path.length - 1 : found;
}

/** 40, 20 and 40 of a hundred: the middle's 20 are shared by all between the first and the last. */
function positionWeights(length: number): bigint[] {
  if (length <= 2) return Array.from({ length }, () => 1n);
  const end = 2n * BigInt(length - 2);
  return Array.from({ length }, (_, index) => (index === 0 || index === length - 1 ? end : 1n));
}
