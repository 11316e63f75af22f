import type { Routes } from '@tributary/contract';
import type { Handles } from '@tributary/operations';
import { changeBudget } from './change-budget.ts';
import type { AdServices } from './services.ts';

export const updateCampaignBudget: Handles<Routes['updateCampaignBudget'], AdServices> = ({ params, body }, context) =>
  changeBudget(context, 'campaign', params.id, body);
