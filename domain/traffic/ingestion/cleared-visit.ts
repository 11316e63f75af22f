import type { VisitRow } from '@tributary/clickhouse';
import { nilUuid } from '@tributary/vocabulary';

/**
 * The values that replace a visit's columns after its customer was erased. Columns not listed here are kept: time,
 * channel, ad, country, region and event type.
 */
export const clearedVisit = {
  session_id: nilUuid,
  event_name: '',
  source: 'unknown',
  medium: '',
  click_id_kind: '',
  utm_source: '',
  utm_medium: '',
  utm_campaign: '',
  utm_term: '',
  utm_content: '',
  utm_id: '',
  url: '',
  path: '',
  referrer: '',
  referrer_host: '',
  device: 'unknown',
  browser: '',
  os: '',
  city: '',
} as const satisfies Partial<VisitRow>;
