import type { Routes } from '@tributary/contract';
import type { Handles } from '@tributary/operations';
import { changeStatus } from './change-status.ts';
import type { AdServices } from './services.ts';

export const resumeAd: Handles<Routes['resumeAd'], AdServices> = ({ params, body }, context) =>
  changeStatus(context, 'resume', 'ad', params.id, body);
