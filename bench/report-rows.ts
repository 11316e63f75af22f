import { type ClickHouse, raw } from '@tributary/clickhouse';

/**
 * What a report reads, made by the engine itself: campaigns, ad sets and ads with what they cost each day, links of four kinds
 * (all named, the ad alone, the campaign alone, nothing paid), and conversions of a month with paths of 1 to 20 touches.
 */

const day = '2026-05-01';
const days = 31;
const campaigns = 40;
const adSets = 200;
const ads = 1_000;

/** An id that nobody is shown. */
const id = (words: string) => `reinterpretAsUUID(sipHash128(${words}))`;
/** One that may be shown, with the bits that every UUID has. */
const entity = (profile: string, level: string, number: string) => {
  const hash = `lower(hex(sipHash128(${profile}, '${level}', toUInt64(${number}))))`;
  return `toUUID(concat(substring(${hash}, 1, 12), '5', substring(${hash}, 14, 3), '8', substring(${hash}, 18)))`;
};

export async function fillReport(
  clickhouse: ClickHouse,
  profileId: string,
  conversions: number,
  progress: (done: number, total: number, note: string) => void,
): Promise<void> {
  const run = (text: string) => clickhouse.command(raw(text), {});
  const profile = `toUUID('${profileId}')`;
  const levels = [
    ['campaign', campaigns],
    ['ad_set', adSets],
    ['ad', ads],
  ] as const;
  for (const [level, count] of levels) {
    const parents = {
      campaign: [entity(profile, 'campaign', 'number'), "toUUIDOrZero('')"],
      ad_set: [entity(profile, 'campaign', `number % ${campaigns}`), entity(profile, 'ad_set', 'number')],
      ad: [entity(profile, 'campaign', `number % ${campaigns}`), entity(profile, 'ad_set', `number % ${adSets}`)],
    }[level];
    await run(`INSERT INTO ad_entities (profile_id, entity_id, version, platform, level, external_id, name, currency, campaign_id, ad_set_id)
      SELECT ${profile}, ${entity(profile, level, 'number')}, 1, 'social_ads', '${level}', toString(number), concat('${level} ', toString(number)), 'USD', ${parents.join(', ')}
      FROM numbers(${count})`);
    await run(`INSERT INTO ad_delivery_daily (profile_id, level, day, entity_id, version, platform, currency, spend, impressions, clicks)
      SELECT ${profile}, '${level}', toDate('${day}') + number % ${days}, ${entity(profile, level, `intDiv(number, ${days})`)}, 1, 'social_ads', 'USD',
        toDecimal256(intHash64(number) % 100000, 20) / 100, intHash64(number) % 9000, intHash64(number) % 300
      FROM numbers(${count * days})`);
  }
  // Sources follow from touches; of each ad and kind of link there is one.
  await run(`INSERT INTO touches (profile_id, visitor_id, occurred_at, touch_id, session_id, channel, source, medium, platform, campaign_id, ad_set_id, ad_id)
    SELECT ${profile}, ${id('number, 1')}, toDateTime64('${day} 00:00:00', 3, 'UTC'), ${id('number, 2')}, ${id('number, 3')},
      ['paid_social', 'paid_social', 'paid_social', 'email'][number % 4 + 1] AS channel, concat('site ', toString(number % 7)), 'paid', if(channel = 'email', '', 'social_ads'),
      if(number % 4 IN (0, 2), ${entity(profile, 'campaign', `number % ${ads} % ${campaigns}`)}, toUUIDOrZero('')),
      if(number % 4 = 0, ${entity(profile, 'ad_set', `number % ${ads} % ${adSets}`)}, toUUIDOrZero('')),
      if(number % 4 IN (0, 1), ${entity(profile, 'ad', `number % ${ads}`)}, toUUIDOrZero(''))
    FROM numbers(${ads * 4})`);
  const step = 250_000;
  for (let from = 0; from < conversions; from += step) {
    const length = Math.min(step, conversions - from);
    await run(
      `INSERT INTO attributed_conversions (* EXCEPT (further_shares, further_model_versions, applied_at, cause_ref, replaced_ref)) ${conversionsOf(profile, from, length)}`,
    );
    progress(from + length, conversions, 'conversions');
  }
}

function conversionsOf(profile: string, from: number, length: number): string {
  return `
    WITH (SELECT groupArray(source_id) FROM (SELECT source_id FROM touch_sources FINAL WHERE profile_id = ${profile} ORDER BY source_id)) AS known
    SELECT
      ${profile} AS profile_id,
      toDateTime64('${day} 00:00:00', 3, 'UTC') + (intHash64(number + 1) % (${days} * 86400000)) / 1000 AS conversion_time,
      ${id(`${profile}, number, 4`)} AS conversion_id,
      1 AS version, 0 AS is_deleted,
      ${id('number, 5')} AS person_id, false AS is_anonymous, ${id('6')} AS definition_id,
      if(number % 3 = 0, 'lead_created', 'payment_received') AS conversion_type,
      if(number % 3 = 0, 'pipeline', 'cash') AS revenue_type,
      if(number % 3 = 0, 0, toInt64(intHash64(number + 2) % 1000000)) AS value,
      true AS has_value, 'USD' AS currency, number % 3 != 0 AS is_first_payment, conversion_id AS purchase_id, 90 AS lookback_days,
      toUInt32(1 + intHash64(number + 3) % 20) AS touch_count, 'CL' AS country, 'mobile' AS device,
      arrayMap(place -> ${id('number, place')}, range(touch_count)) AS touch_ids,
      arrayMap(place -> conversion_time - (touch_count - place) * 3600, range(touch_count)) AS touch_times,
      arrayMap(place -> known[intHash64(number * 32 + place) % length(known) + 1], range(touch_count)) AS source_ids,
      toUInt16(touch_count) AS last_non_direct,
      arrayMap(place -> intDiv(value, touch_count) + (place < value % touch_count), range(touch_count)) AS linear,
      linear AS time_decay, linear AS position_based,
      0 AS content_hash, 'bench' AS cause
    FROM numbers(${from}, ${length})`;
}

/** Other profiles in the same tables. */
export async function fillOthers(
  clickhouse: ClickHouse,
  like: string,
  profiles: number,
  progress: (done: number, total: number, note: string) => void,
): Promise<void> {
  const run = (text: string) => clickhouse.command(raw(text), {});
  const [conversionsEach, touchesEach, step] = [100, 2_000, 500];
  for (let from = 0; from < profiles; from += step) {
    const count = Math.min(step, profiles - from);
    const profile = (each: number) => id(`'other', intDiv(number, ${each}) + ${from}`);
    await run(`INSERT INTO touches (profile_id, visitor_id, occurred_at, touch_id, session_id, channel, source, medium, platform, ad_id)
      SELECT ${profile(touchesEach)}, ${id('number, 1')}, toDateTime64('${day} 00:00:00', 3, 'UTC') - (intHash64(number) % (60 * 86400000)) / 1000,
        ${id(`${from}, number, 2`)}, ${id('number, 3')}, 'paid_social', 'facebook', 'paid', 'social_ads', ${id(`intDiv(number, ${touchesEach}), number % 50`)}
      FROM numbers(${count * touchesEach})`);
    await run(
      `INSERT INTO attributed_conversions
      SELECT * REPLACE (${id("'other', other")} AS profile_id)
      FROM (SELECT * EXCEPT number, ${from} + number AS other FROM numbers(${count}) AS n
        CROSS JOIN (SELECT * FROM attributed_conversions WHERE profile_id = '${like}' LIMIT ${conversionsEach}) AS c)`.replace(
        'SELECT * REPLACE',
        'SELECT * EXCEPT other REPLACE',
      ),
    );
    progress(from + count, profiles, 'other profiles');
  }
}

/** A moment before a tenth of the conversions were worked out again. */
export const rewrittenAt = new Date('2026-06-09T00:00:00Z');

/** The rows of another database, of which a tenth of the conversions have replaced others since. */
export async function fillRewritten(clickhouse: ClickHouse, from: string, profileId: string): Promise<void> {
  const run = (text: string) => clickhouse.command(raw(text), {});
  for (const table of reportTables) {
    const columns = table === 'touches' ? '* EXCEPT source_id' : '*';
    await run(`INSERT INTO ${table} (${columns}) SELECT ${columns} FROM ${from}.${table}`);
  }
  const later = "toDateTime64('2026-06-10 00:00:00', 3, 'UTC')";
  const tenth = `profile_id = '${profileId}' AND sipHash64(conversion_id) % 10 = 0`;
  await run(
    `INSERT INTO attribution_history SELECT *, version + 1, 'refund', ${later} FROM attributed_conversions FINAL WHERE ${tenth}`,
  );
  await run(
    `INSERT INTO attributed_conversions SELECT * REPLACE (version + 1 AS version, ${later} AS applied_at) FROM attributed_conversions FINAL WHERE ${tenth}`,
  );
  for (const table of [...reportTables, 'attribution_history'])
    if (table !== 'touches') await run(`OPTIMIZE TABLE ${table} FINAL`);
}

/** What a report reads; what sources stand for follows from touches. */
export const reportTables = ['ad_entities', 'ad_delivery_daily', 'touches', 'attributed_conversions'] as const;
