import type { Routes } from '@tributary/contract';
import type { Handles } from '@tributary/operations';
import { changeStatus } from './change-status.ts';
import type { AdServices } from './services.ts';

export const pauseAd: Handles<Routes['pauseAd'], AdServices> = ({ params, body }, context) =>
  changeStatus(context, 'pause', 'ad', params.id, body);
