import { listCampaigns, readAd, readCampaignTrend, readUnattributed } from './campaigns.ts';
import { listChangeRows, readChanges } from './changes.ts';
import { listCohorts } from './cohorts.ts';
import { explain, listCampaignConversions } from './explanations.ts';
import { readOverview, readPlatformComparison } from './overview.ts';

/** Reports of costs and results, their explanations, and their changes. */
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
