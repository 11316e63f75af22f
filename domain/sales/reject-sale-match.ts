import type { Routes } from '@tributary/contract';
import type { Handles } from '@tributary/operations';
import { decide } from './decide.ts';

/** Two records are two sales: both count, and they are never suggested again. */
export const rejectSaleMatch: Handles<Routes['rejectSaleMatch']> = ({ params }, context) =>
  decide(params.id, 'rejected', context);
