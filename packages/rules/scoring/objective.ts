import { type Objective, objectives } from '@tributary/vocabulary';

/** Platforms' objectives in upper case; some ads still have names that were withdrawn years ago. */
export const objectiveWords: Readonly<Record<Objective, readonly string[]>> = {
  messaging: ['MESSAGES', 'OUTCOME_MESSAGES', 'MESSAGING', 'CONVERSATIONS', 'REPLIES'],
  sales: [
    'SALES',
    'OUTCOME_SALES',
    'CONVERSIONS',
    'CONVERSION',
    'PRODUCT_CATALOG_SALES',
    'CATALOG_SALES',
    'PRODUCT_SALES',
    'SHOPPING',
    'PERFORMANCE_MAX',
    'STORE_VISITS',
    'WEB_CONVERSIONS',
    'SHOP_PURCHASES',
    'WEBSITE_CONVERSIONS',
  ],
  leads: ['LEADS', 'OUTCOME_LEADS', 'LEAD', 'LEAD_GENERATION'],
  traffic: [
    'TRAFFIC',
    'OUTCOME_TRAFFIC',
    'LINK_CLICKS',
    'WEBSITE_TRAFFIC',
    'WEBSITE_VISITS',
    'SEARCH',
    'LANDING_PAGE_VIEWS',
  ],
  awareness: [
    'AWARENESS',
    'OUTCOME_AWARENESS',
    'BRAND_AWARENESS',
    'REACH',
    'VIDEO_VIEWS',
    'OUTCOME_ENGAGEMENT',
    'ENGAGEMENT',
    'POST_ENGAGEMENT',
    'PAGE_LIKES',
    'DISPLAY',
    'VIDEO',
  ],
};

const byWord = new Map(
  objectives.flatMap((objective) => objectiveWords[objective].map((word) => [word, objective] as const)),
);

/** Maps a platform's objective to ours; null if it is unknown. */
export const objectiveOf = (platformObjective: string): Objective | null =>
  byWord.get(
    platformObjective
      .trim()
      .toUpperCase()
      .replaceAll(/[\s-]+/g, '_'),
  ) ?? null;
