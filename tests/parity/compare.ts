import { randomUUID } from 'node:crypto';
import { type ClickHouse, raw } from '@tributary/clickhouse';
import { statementTables } from '@tributary/domain/attribution/room.ts';
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

/** Gives the same journeys to the statement and to the reference, and tells where they differ. */
export async function compareJourneys(clickhouse: ClickHouse, journeys: readonly Journey[]): Promise<Difference[]> {
  const profileId = randomUUID();
  const batchId = randomUUID();
  await stage(clickhouse, profileId, batchId, journeys);
  await clickhouse.command('attribution_attribute', {
    profile_id: profileId,
    batch_id: batchId,
    target: 'attribution_results',
    bucket: 0,
    version: '1',
    applied_at: new Date(0),
    ...statementTables,
  });
  const found = new Map<string, StoredConversion>();
  const rows = clickhouse.stream(
    raw<StoredConversion>(`
      WITH (SELECT CAST((groupArray(source_id), groupArray((channel, campaign_id, ad_set_id, ad_id))), 'Map(UInt64, Tuple(String, UUID, UUID, UUID))')
        FROM touch_sources FINAL WHERE profile_id = '${profileId}') AS known
      SELECT conversion_id, value, touch_count, touch_ids, touch_times, arrayMap(source -> known[source], source_ids) AS sources,
        {{map place}} AS places, {{map shares}} AS shares
      FROM attribution_results WHERE profile_id = '${profileId}'`),
    {},
  );
  for await (const row of rows) found.set(row.conversion_id, row);
  return journeys.flatMap(({ browsers, origins, conversions }) => {
    const touches = [...browsers.flat(), ...origins];
    return conversions.flatMap((conversion) => {
      const expected = told(attribute(conversion, touches));
      const row = found.get(conversion.conversionId);
      const seen = row && toldBy(row);
      return JSON.stringify(expected) === JSON.stringify(seen)
        ? []
        : [{ conversionId: conversion.conversionId, expected, found: seen }];
    });
  });
}

const told = ({ touches, touchCount, credits }: Attribution) => ({
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

function toldBy(row: StoredConversion): ReturnType<typeof told> {
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

async function stage(clickhouse: ClickHouse, profileId: string, batchId: string, journeys: readonly Journey[]) {
  const base = { profile_id: profileId, batch_id: batchId, bucket: 0 };
  const browsers = journeys.flatMap(({ personId, browsers }) =>
    browsers.map((touches) => ({ personId, visitorId: randomUUID(), touches })),
  );
  const lines = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join('\n');
  await clickhouse.insertLines(
    'touches',
    lines(browsers.flatMap(({ visitorId, touches }) => touches.map((touch) => touchRow(profileId, visitorId, touch)))),
  );
  await clickhouse.insertLines(
    'attribution_links',
    lines(browsers.map(({ personId, visitorId }) => ({ ...base, visitor_id: visitorId, person_id: personId }))),
  );
  await clickhouse.insertLines(
    'attribution_touches',
    lines(
      journeys.flatMap(({ personId, origins }) =>
        origins.map((touch) => {
          const { visitor_id: _visitor, session_id: _session, ...told } = touchRow(profileId, nilUuid, touch);
          return { ...base, ...told, person_id: personId };
        }),
      ),
    ),
  );
  await clickhouse.insertLines(
    'attribution_conversions',
    lines(
      journeys.flatMap(({ personId, conversions }) =>
        conversions.map(({ conversionId, at, lookbackDays, value }) => ({
          ...base,
          conversion_id: conversionId,
          conversion_time: instant(at),
          person_id: personId,
          is_eligible: true,
          lookback_days: lookbackDays,
          value: String(value),
          has_value: true,
        })),
      ),
    ),
  );
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
