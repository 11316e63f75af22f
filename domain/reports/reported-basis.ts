/** What the count of each platform means, as the platform itself has it unless its account says otherwise. */
const bases: Readonly<Record<string, string>> = {
  social_ads: '7-day click, 1-day view',
  search_ads: '30-day click, data-driven, by day of the click',
  tiktok: '7-day click, 1-day view',
  linkedin: '30-day click, 7-day view',
  microsoft: '30-day click, last click',
};

export const reportedBasis = (platform: string): string => bases[platform] ?? 'As the platform counts';
