import type { Routes } from '@tributary/contract';
import type { Handles } from '@tributary/operations';
import { decide } from './decide.ts';

/** Confirms that two records are the same sale, so it counts once. */
export const confirmSaleMatch: Handles<Routes['confirmSaleMatch']> = ({ params }, context) =>
  decide(params.id, 'confirmed', context);
