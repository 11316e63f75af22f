export { explain } from './explain.ts';
export { listCampaignConversions } from './list-campaign-conversions.ts';
export { listCampaigns } from './list-campaigns.ts';
export { readAd } from './read-ad.ts';
export { readCampaignTrend } from './read-campaign-trend.ts';
export { readOverview } from './read-overview.ts';
export { readPlatformComparison } from './read-platform-comparison.ts';
export { readUnattributed } from './read-unattributed.ts';
