import type { Routes } from '@tributary/contract';
import type { Handles } from '@tributary/operations';
import { decide } from './decide.ts';

/** Removes the decision on a match, so that the rules apply again. */
export const undoSaleMatch: Handles<Routes['undoSaleMatch']> = ({ params }, context) =>
  decide(params.id, null, context);
