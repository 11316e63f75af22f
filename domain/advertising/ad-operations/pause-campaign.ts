import type { Routes } from '@tributary/contract';
import type { Handles } from '@tributary/operations';
import { changeStatus } from './change-status.ts';
import type { AdServices } from './services.ts';

export const pauseCampaign: Handles<Routes['pauseCampaign'], AdServices> = ({ params, body }, context) =>
  changeStatus(context, 'pause', 'campaign', params.id, body);
