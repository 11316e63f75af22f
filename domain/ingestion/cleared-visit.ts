import type { VisitRow } from '@tributary/clickhouse';
import { nilUuid } from '@tributary/vocabulary';

/**
 * A visit whose person was erased. What is not named here stays: when it was, through which channel and ad, in which country and region, and what
 * kind of visit it was.
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
