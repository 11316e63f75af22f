import type { Routes } from '@tributary/contract';
import type { Handles } from '@tributary/operations';
import { decide } from './decide.ts';

/** Rejects a match: both records count, and the pair is never suggested again. */
export const rejectSaleMatch: Handles<Routes['rejectSaleMatch']> = ({ params }, context) =>
  decide(params.id, 'rejected', context);
