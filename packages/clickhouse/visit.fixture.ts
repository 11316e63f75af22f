import { randomUUID } from 'node:crypto';
import type { VisitRow } from './tables.ts';

/** A visit with every column filled, for tests. */
export function visit(changes: Partial<VisitRow> = {}): VisitRow {
  return {
    profile_id: randomUUID(),
    visitor_id: randomUUID(),
    visit_id: randomUUID(),
    session_id: randomUUID(),
    is_session_start: true,
    occurred_at: '2026-03-01T12:00:00.007Z',
    received_at: '2026-03-01T12:00:01.000Z',
    event_type: 'page_view',
    event_name: 'page_view',
    is_bot: false,
    channel: 'paid_search',
    source: 'google',
    medium: 'cpc',
    platform: 'search_ads',
    campaign_external_id: '101',
    ad_set_external_id: '202',
    ad_external_id: '303',
    click_id_kind: 'gclid',
    utm_source: 'google',
    utm_medium: 'cpc',
    utm_campaign: 'spring',
    utm_term: 'shoes',
    utm_content: 'blue',
    utm_id: '101',
    url: 'https://shop.example/shoes?size=42',
    path: '/shoes',
    referrer: 'https://www.google.com/',
    referrer_host: 'www.google.com',
    device: 'mobile',
    browser: 'Firefox',
    os: 'Android',
    country: 'CL',
    region: '',
    city: 'Santiago',
    ...changes,
  };
}
