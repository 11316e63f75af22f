/** How TikTok Ads counts conversions, unless the ad account is configured otherwise. */
export const reportedBasis = '7-day click, 1-day view';
