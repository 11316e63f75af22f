import { reportedBasis as googleAds } from './google-ads/reported-basis.ts';
import { reportedBasis as meta } from './meta/reported-basis.ts';
import { reportedBasis as tiktok } from './tiktok/reported-basis.ts';

/** By the platform's name in reports. */
const reportedBases: Readonly<Record<string, string>> = { social_ads: meta, search_ads: googleAds, tiktok };

/** How a platform counts its own conversions. Spend may also be imported for a platform that has no provider here. */
export const reportedBasisOf = (platform: string): string =>
  (Object.hasOwn(reportedBases, platform) ? reportedBases[platform] : undefined) ?? 'As the platform counts';
