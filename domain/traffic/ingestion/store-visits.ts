import type { TouchRow, VisitRow } from '@tributary/clickhouse';
import { clickMarker, type Tombstones } from '@tributary/domain/commerce/customers';
import { clickName, entityIdOf } from '@tributary/rules';
import { type EntityLevel, nilUuid } from '@tributary/vocabulary';
import { clearedVisit } from './cleared-visit.ts';
import type { Ingestion } from './context.ts';
import type { PlacedVisit } from './place-visits.ts';

/**
 * Step 8: writes visits and touches to ClickHouse and resolves when both are durable. A redelivered visit replaces the
 * same row.
 */
export async function storeVisits(
  { visits, touches, tombstones }: Pick<Ingestion, 'visits' | 'touches' | 'tombstones'>,
  placed: readonly PlacedVisit[],
): Promise<void> {
  const rows = placed.map((one) => (one.isErased ? { ...visitRow(one), ...clearedVisit } : visitRow(one)));
  const stored = [
    visits.add(rows),
    touches.add(placed.filter(({ touch }) => touch).map((one) => touchRow(one, tombstones))),
  ];
  // Flushes at once, because no more rows arrive until this batch is done.
  void visits.flush();
  void touches.flush();
  const [first, second] = await Promise.allSettled(stored);
  for (const outcome of [first, second]) if (outcome?.status === 'rejected') throw outcome.reason;
}

function visitRow({ arrival, visitorId, visit, classification, path }: PlacedVisit): VisitRow {
  const { utm } = classification;
  return {
    profile_id: arrival.profile_id,
    visitor_id: visitorId,
    visit_id: visit.id,
    session_id: visit.session_id,
    is_session_start: visit.is_session_start,
    occurred_at: visit.at,
    received_at: arrival.received_at,
    event_type: visit.type,
    event_name: visit.name ?? visit.type,
    is_bot: arrival.user_agent.is_bot,
    channel: classification.channel,
    source: classification.source,
    medium: classification.medium,
    platform: classification.platform ?? '',
    campaign_external_id: classification.campaignExternalId ?? '',
    ad_set_external_id: classification.adSetExternalId ?? '',
    ad_external_id: classification.adExternalId ?? '',
    click_id_kind: classification.clickIdKind ?? '',
    utm_source: utm.source ?? '',
    utm_medium: utm.medium ?? '',
    utm_campaign: utm.campaign ?? '',
    utm_term: utm.term ?? '',
    utm_content: utm.content ?? '',
    utm_id: utm.id ?? '',
    url: visit.url,
    path,
    referrer: visit.referrer ?? '',
    referrer_host: classification.referrerHost ?? '',
    device: arrival.user_agent.device,
    browser: arrival.user_agent.browser,
    os: arrival.user_agent.os,
    country: arrival.country,
    region: arrival.region ?? '',
    city: arrival.city,
  };
}

function touchRow(
  { arrival, visitorId, visit, classification, secret }: PlacedVisit,
  tombstones: Tombstones,
): TouchRow {
  const { platform, campaignExternalId, adSetExternalId, adExternalId, clickIdKind } = classification;
  const clickId = clickIdKind && secret.click_ids?.[clickIdKind];
  const entity = (level: EntityLevel, externalId: string | null) =>
    platform && externalId ? entityIdOf(arrival.profile_id, platform, level, externalId) : nilUuid;
  const ids = {
    campaign_id: entity('campaign', campaignExternalId),
    ad_set_id: entity('ad_set', adSetExternalId),
    ad_id: entity('ad', adExternalId),
  };
  return {
    profile_id: arrival.profile_id,
    visitor_id: visitorId,
    occurred_at: visit.at,
    touch_id: visit.id,
    kind: 'visit',
    session_id: visit.session_id,
    channel: classification.channel,
    source: classification.source,
    medium: classification.medium,
    platform: platform ?? '',
    ...ids,
    click_id_kind: clickIdKind ?? '',
    join_method: Object.values(ids).some((id) => id !== nilUuid) ? 'url_parameters' : '',
    country: arrival.country,
    device: arrival.user_agent.device,
    click_mark: clickId ? clickMarker(tombstones, arrival.profile_id)(clickName(clickIdKind, clickId)) : '0',
  };
}
