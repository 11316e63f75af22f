import { listCampaigns, readAd, readCampaignTrend, readUnattributed } from './campaigns.ts';
import { listChangeRows, readChanges } from './changes.ts';
import { listCohorts } from './cohorts.ts';
import { explain, listCampaignConversions } from './explanations.ts';
import { readOverview, readPlatformComparison } from './overview.ts';

/** What campaigns cost and earned, what each figure is made of, and why it changed. */
export const reportRoutes = {
  listCampaigns,
  readUnattributed,
  readCampaignTrend,
  readOverview,
  readAd,
  readPlatformComparison,
  listCampaignConversions,
  explain,
  readChanges,
  listChangeRows,
  listCohorts,
};
