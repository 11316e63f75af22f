import type { Routes } from '@tributary/contract';
import type { Handles } from '@tributary/operations';
import { changeBudget } from './change-budget.ts';
import type { AdServices } from './services.ts';

export const updateAdSetBudget: Handles<Routes['updateAdSetBudget'], AdServices> = ({ params, body }, context) =>
  changeBudget(context, 'ad_set', params.id, body);
