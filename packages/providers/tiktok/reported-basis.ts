/** How TikTok Ads counts conversions, unless the ad account says otherwise. */
export const reportedBasis = '7-day click, 1-day view';
