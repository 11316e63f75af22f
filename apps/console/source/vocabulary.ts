import { attributionModels, limits as contractLimits, ScoreWindow } from '@tributary/contract';

/** What the console needs of the contract while it runs. The build puts the values in this file's place, so that zod stays out of it. */
export const models = attributionModels;
export const scoreWindows = ScoreWindow.options;
export const limits = {
  campaigns: contractLimits.campaigns.pageSize.max,
  topPerformers: contractLimits.topPerformers.pageSize.max,
  rangeDays: contractLimits.dateRange.maxDays,
};
