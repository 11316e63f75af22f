import type { Routes } from '@tributary/contract';
import type { Handles } from '@tributary/operations';
import { decide } from './decide.ts';

/** Two records are the same sale: it counts once. */
export const confirmSaleMatch: Handles<Routes['confirmSaleMatch']> = ({ params }, context) =>
  decide(params.id, 'confirmed', context);
