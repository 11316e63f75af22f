import type { ClickHouse, Parameters, Row } from '@tributary/clickhouse';
import type { Routes } from '@tributary/contract';
import { findHolders, inheritSessionSource } from '@tributary/domain/traffic/ingestion';
import { answer, type Handles, refuse } from '@tributary/operations';
import { dayMs, limits, uuidPattern } from '@tributary/vocabulary';
import type { TrackingServices } from '../services.ts';

const windowMs = limits.trackingEvents.windowDays * dayMs;
const farAhead = new Date('2200-01-01T00:00:00Z');
const highestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export const listTrackingEvents: Handles<Routes['listTrackingEvents'], Pick<TrackingServices, 'clickhouse'>> = async (
  { query },
  { caller, ledger, now, mentions, signal, clickhouse },
) => {
  const profileId = caller.profileId;
  const before = query.cursor === undefined ? { at: farAhead, id: highestId } : readCursor(query.cursor);
  const parameters = {
    profile_id: profileId,
    since: new Date(now.getTime() - windowMs),
    before_at: before.at,
    before_id: before.id,
    event_type: query.event_type ?? '',
    include_bots: query.include_bots === 'true',
    limit: query.limit + 1,
  };
  const rows = query.channel
    ? await listOfChannel(clickhouse, { ...parameters, channel: query.channel }, now, signal)
    : await clickhouse.query('visit_list_recent', parameters, { signal });
  const shown = await inheritSessionSource(clickhouse, profileId, rows.slice(0, query.limit), signal);
  const visitorIds = [...new Set(shown.map((row) => row.visitor_id))];
  const customers = await ledger.transaction((tx) => findHolders(tx, profileId, visitorIds), { readOnly: true });
  for (const customerId of customers.values()) mentions(customerId);
  const last = shown.at(-1);
  return answer(200, {
    data: shown.map((row) => toEventResponse(row, customers.get(row.visitor_id) ?? null)),
    pagination: {
      has_next: rows.length > query.limit,
      cursor: last ? `${last.occurred_at}|${last.visit_id}` : null,
    },
  });
};

/**
 * Look-back windows, tried in order. A common channel fills a page within a day. A rare channel needs the whole period,
 * but has few sessions.
 */
const windowsMs = [dayMs, 10 * dayMs, windowMs];

async function listOfChannel(
  clickhouse: ClickHouse,
  parameters: Parameters<'visit_list_recent_of_channel'>,
  now: Date,
  signal: AbortSignal,
): Promise<Row<'visit_list_recent_of_channel'>[]> {
  const until = Math.min(parameters.before_at.getTime(), now.getTime());
  for (const currentWindowMs of windowsMs) {
    const since = new Date(Math.max(until - currentWindowMs, parameters.since.getTime()));
    const rows = await clickhouse.query('visit_list_recent_of_channel', { ...parameters, since }, { signal });
    if (rows.length === parameters.limit || since.getTime() === parameters.since.getTime()) return rows;
  }
  throw new Error('The last window is the whole period.');
}

/** ClickHouse stores '' for missing values. */
function toEventResponse(row: Row<'visit_list_recent'>, customerId: string | null) {
  return {
    visit_id: row.visit_id,
    visitor_id: row.visitor_id,
    customer_profile_id: customerId,
    session_id: row.session_id,
    is_session_start: row.is_session_start,
    occurred_at: row.occurred_at,
    received_at: row.received_at,
    event_type: row.event_type,
    event_name: row.event_name,
    is_bot: row.is_bot,
    channel: row.channel,
    source: row.source,
    medium: row.medium || null,
    platform: row.platform || null,
    click_id_kind: row.click_id_kind || null,
    campaign_external_id: row.campaign_external_id || null,
    ad_set_external_id: row.ad_set_external_id || null,
    ad_external_id: row.ad_external_id || null,
    utm_source: row.utm_source || null,
    utm_medium: row.utm_medium || null,
    utm_campaign: row.utm_campaign || null,
    utm_term: row.utm_term || null,
    utm_content: row.utm_content || null,
    utm_id: row.utm_id || null,
    url: row.url || null,
    path: row.path || null,
    referrer: row.referrer || null,
    referrer_host: row.referrer_host || null,
    device: row.device,
    browser: row.browser || null,
    os: row.os || null,
    country: row.country,
    city: row.city || null,
  };
}

const cursorPattern = new RegExp(`^(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z)\\|(${uuidPattern})$`);

function readCursor(text: string): { at: Date; id: string } {
  const [, at = '', id = ''] = cursorPattern.exec(text) ?? [];
  const instant = new Date(at);
  // Outside this range ClickHouse cannot store the time.
  const isValid = instant.getTime() >= 0 && instant <= farAhead;
  if (!isValid)
    refuse('invalid_parameter', 'The query parameter "cursor" is not one that this route gave out.', {
      fields: { field: 'cursor' },
    });
  return { at: instant, id };
}
