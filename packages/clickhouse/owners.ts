/**
 * Every table and the module that owns it. Other modules may read it only as listed below, in queries of their own.
 */
export const tableOwners = {
  ad_delivery_daily: 'campaigns',
  ad_delivery_history: 'campaigns',
  ad_entities: 'campaigns',
  ad_entities_history: 'campaigns',
  ad_scores: 'top-performers',
  attributed_conversions: 'attribution',
  attribution_conversions: 'attribution',
  attribution_history: 'attribution',
  attribution_links: 'attribution',
  attribution_results: 'attribution',
  attribution_touches: 'attribution',
  clicked_entities: 'attribution',
  model_credits: 'models',
  schema_migrations: 'packages/clickhouse',
  touch_sources: 'attribution',
  touches: 'ingestion',
  visits: 'ingestion',
} as const;

/** Modules that read tables of other modules, because a figure is computed in one statement over all of them. */
export const tableExceptions = [
  {
    module: 'attribution',
    tables: ['touches'],
    reason: 'The statement that attributes conversions joins touches.',
  },
  {
    module: 'reports',
    tables: [
      'attributed_conversions',
      'attribution_history',
      'touch_sources',
      'clicked_entities',
      'touches',
      'ad_entities',
      'ad_entities_history',
      'ad_delivery_daily',
      'ad_delivery_history',
    ],
    reason: 'A report sets what was earned beside what was spent.',
  },
  {
    module: 'models',
    tables: [
      'attributed_conversions',
      'attribution_links',
      'touches',
      'touch_sources',
      'clicked_entities',
      'ad_entities',
      'ad_entities_history',
    ],
    reason: 'Models learn from what people did, and credit what conversions have on their paths.',
  },
  {
    module: 'top-performers',
    tables: [
      'attributed_conversions',
      'attribution_history',
      'touch_sources',
      'clicked_entities',
      'ad_entities',
      'ad_entities_history',
      'ad_delivery_daily',
      'ad_delivery_history',
    ],
    reason: 'Ads are scored by what they earned and cost.',
  },
  {
    module: 'journeys',
    tables: ['visits', 'touches', 'attributed_conversions'],
    reason: 'A journey is visits, touches and their credit in the order of time.',
  },
  {
    module: 'partners',
    tables: ['touches'],
    reason: 'A preview of referrals works paths out anew, from the touches of the people concerned.',
  },
  {
    module: 'customers',
    tables: ['attributed_conversions', 'touch_sources'],
    reason: 'The list of customers says how each came.',
  },
  {
    module: 'ad-operations',
    tables: ['touches'],
    reason: 'Whether the links of ads name them is seen in the visits that they bring.',
  },
  {
    module: 'tracking',
    tables: ['visits', 'touches'],
    reason: 'Whether tracking works is seen in what arrives.',
  },
] as const;
