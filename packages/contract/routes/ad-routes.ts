import type { Route } from '../route.ts';
import { listAdActions, readUrlTags } from './ad-actions.ts';
import { listAdsWithoutIds } from './ad-ids.ts';
import {
  applyUrlTags,
  pauseAd,
  pauseCampaign,
  readAdSetStatus,
  readCampaignStatus,
  resumeAd,
  resumeCampaign,
  undoUrlTags,
  updateAdSetBudget,
  updateCampaignBudget,
} from './ad-operations.ts';

/** The chapter "Ad operations", in the order of the reference. */
export const adRoutes = {
  readCampaignStatus,
  pauseCampaign,
  resumeCampaign,
  pauseAd,
  resumeAd,
  updateCampaignBudget,
  readAdSetStatus,
  updateAdSetBudget,
  listAdActions,
  listAdsWithoutIds,
  readUrlTags,
  applyUrlTags,
  undoUrlTags,
} satisfies Record<string, Route>;
