import { randomUUID } from 'node:crypto';
import { type ClickHouse, raw } from '@tributary/clickhouse';
import { allBuckets, statementTables } from '@tributary/domain/measurement/attribution/module.ts';
import { type Attribution, attribute, type AttributedTouch as Touch } from '@tributary/rules';
import { attributionModelNames, isSingle, type MultipleModel, nilUuid, type SingleModel } from '@tributary/vocabulary';
import type { Journey } from './journeys.ts';

const instant = (ms: number) => new Date(ms).toISOString();

interface StoredConversion {
  conversion_id: string;
  touch_count: number;
  touch_ids: string[];
  touch_times: string[];
  sources: [channel: string, campaign: string, adSet: string, ad: string][];
  value: string;
  places: Record<SingleModel, number>;
  shares: Record<MultipleModel, string[]>;
}

export interface Difference {
  readonly conversionId: string;
  readonly expected: unknown;
  readonly found: unknown;
}

/** Attributes the same journeys with the ClickHouse query and with the reference rules, and returns the differences. */
export async function compareJourneys(clickhouse: ClickHouse, journeys: readonly Journey[]): Promise<Difference[]> {
  const batchId = randomUUID();
  const profileIds = await stage(clickhouse, batchId, journeys);
  await clickhouse.command('attribution_attribute', {
    batch_id: batchId,
    target: 'attribution_results',
    ...allBuckets,
    version: '1',
    applied_at: new Date(0),
    ...statementTables,
  });
  const found = new Map<string, StoredConversion>();
  const rows = clickhouse.stream(
    raw<StoredConversion>(`
      WITH (SELECT CAST((groupArray(source_id), groupArray((channel, campaign_id, ad_set_id, ad_id))), 'Map(UInt64, Tuple(String, UUID, UUID, UUID))')
        FROM (SELECT DISTINCT source_id, channel, campaign_id, ad_set_id, ad_id FROM touch_sources WHERE profile_id IN {profile_ids:Array(UUID)})) AS sources_by_id
      SELECT conversion_id, value, touch_count, touch_ids, touch_times, arrayMap(source -> sources_by_id[source], source_ids) AS sources,
        {{map place}} AS places, {{map shares}} AS shares
      FROM attribution_results WHERE profile_id IN {profile_ids:Array(UUID)}`),
    { profile_ids: profileIds },
  );
  for await (const row of rows) found.set(row.conversion_id, row);
  return journeys.flatMap(({ browsers, origins, conversions }) => {
    const touches = [...browsers.flat(), ...origins];
    return conversions.flatMap((conversion) => {
      const expected = toComparable(attribute(conversion, touches));
      const row = found.get(conversion.conversionId);
      const seen = row && rowToComparable(row);
      return JSON.stringify(expected) === JSON.stringify(seen)
        ? []
        : [{ conversionId: conversion.conversionId, expected, found: seen }];
    });
  });
}

const toComparable = ({ touches, touchCount, credits }: Attribution) => ({
  touchCount,
  touchIds: touches.map(({ touchId }) => touchId),
  times: touches.map(({ at }) => instant(at)),
  sources: touches.map(({ channel, campaignId, adSetId, adId }): [string, string, string, string] => [
    channel,
    campaignId ?? nilUuid,
    adSetId ?? nilUuid,
    adId ?? nilUuid,
  ]),
  credits: Object.fromEntries(Object.entries(credits).map(([model, units]) => [model, units.map(String)])),
});

function rowToComparable(row: StoredConversion): ReturnType<typeof toComparable> {
  const alone = (place: number) => row.touch_ids.map((_, index) => (index + 1 === Number(place) ? row.value : '0'));
  return {
    touchCount: row.touch_count,
    touchIds: row.touch_ids,
    times: row.touch_times,
    sources: row.sources,
    credits: Object.fromEntries(
      attributionModelNames.map((model) => [model, isSingle(model) ? alone(row.places[model]) : row.shares[model]]),
    ),
  };
}

const profilesAtOnce = 5;

/** Spreads the journeys over several profiles with the same person and visitor ids, which must not be mixed up. */
async function stage(clickhouse: ClickHouse, batchId: string, journeys: readonly Journey[]): Promise<string[]> {
  const profileIds = Array.from({ length: profilesAtOnce }, () => randomUUID());
  const names = new Map<string, string>();
  const nameOf = (place: string) => names.get(place) ?? names.set(place, randomUUID()).get(place) ?? '';
  const placed = journeys.map((journey, index) => {
    const nth = Math.floor(index / profilesAtOnce);
    const profileId = profileIds[index % profilesAtOnce] ?? '';
    const base = { profile_id: profileId, batch_id: batchId, bucket: 0, person_id: nameOf(`${nth}`) };
    return { ...journey, nth, profileId, base };
  });
  const browsers = placed.flatMap(({ nth, profileId, base, browsers }) =>
    browsers.map((touches, browser) => ({ profileId, base, visitorId: nameOf(`${nth}.${browser}`), touches })),
  );
  const lines = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join('\n');
  await clickhouse.insertLines(
    'touches',
    lines(
      browsers.flatMap(({ profileId, visitorId, touches }) =>
        touches.map((touch) => touchRow(profileId, visitorId, touch)),
      ),
    ),
  );
  await clickhouse.insertLines(
    'attribution_links',
    lines(browsers.map(({ base, visitorId }) => ({ ...base, visitor_id: visitorId }))),
  );
  await clickhouse.insertLines(
    'attribution_touches',
    lines(
      placed.flatMap(({ profileId, base, origins }) =>
        origins.map((touch) => {
          const { visitor_id: _visitor, session_id: _session, ...row } = touchRow(profileId, nilUuid, touch);
          return { ...row, ...base };
        }),
      ),
    ),
  );
  await clickhouse.insertLines(
    'attribution_conversions',
    lines(
      placed.flatMap(({ base, conversions }) =>
        conversions.map(({ conversionId, at, lookbackDays, value }) => ({
          ...base,
          conversion_id: conversionId,
          conversion_time: instant(at),
          is_eligible: true,
          lookback_days: lookbackDays,
          value: String(value),
          has_value: true,
        })),
      ),
    ),
  );
  return profileIds;
}

const touchRow = (profileId: string, visitorId: string, touch: Touch) => ({
  profile_id: profileId,
  visitor_id: visitorId,
  occurred_at: instant(touch.at),
  touch_id: touch.touchId,
  session_id: touch.sessionId ?? nilUuid,
  channel: touch.channel,
  source: touch.source,
  medium: touch.medium,
  platform: touch.platform,
  campaign_id: touch.campaignId ?? nilUuid,
  ad_set_id: touch.adSetId ?? nilUuid,
  ad_id: touch.adId ?? nilUuid,
  click_id_kind: touch.clickKind ?? '',
  click_mark: touch.clickMark ?? '0',
});
