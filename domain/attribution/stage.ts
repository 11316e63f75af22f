import type { Readable } from 'node:stream';
import type { ClickHouse } from '@tributary/clickhouse';
import { profileOf } from '@tributary/domain/tenants';
import type { Postgres, Snapshot } from '@tributary/postgres';
import { minorDigits } from '@tributary/rules';
import { clickIdKindNames, clickIdKinds, nilUuid } from '@tributary/vocabulary';

/** Which conversions a batch is of: some that are dirty, by their ids, or all there are. */
export type Selection =
  | { readonly dirty: readonly string[] }
  | { readonly all: true; readonly buckets: number; readonly replayId: string };

export interface Staged {
  /** Empty when all were asked for. */
  readonly dirty: readonly { readonly outcome_id: string; readonly revision: string }[];
}

/**
 * Puts into ClickHouse what attribution needs of the ledger, as one snapshot of it says. The rows go from one engine to the other
 * as text, without becoming objects on the way.
 */
export async function stage(
  postgres: Postgres,
  clickhouse: ClickHouse,
  profileId: string,
  batchId: string,
  selection: Selection,
): Promise<Staged> {
  const { currency } = await postgres.forProfile(profileId).transaction((tx) => profileOf(tx, profileId));
  return postgres.snapshot(profileId, async ({ query, copy, beside }) => {
    const dirty =
      'dirty' in selection
        ? await query<{ outcome_id: string; revision: string }>(
            'SELECT outcome_id, revision FROM dirty_conversions WHERE profile_id = $1 AND outcome_id = ANY ($2::uuid[])',
            [profileId, selection.dirty],
          )
        : [];
    if ('dirty' in selection && dirty.length === 0) return { dirty };
    const sql = statements(profileId, batchId, selection, currency);
    const insert = async (table: StagedTable, columns: string, rows: Readable) =>
      clickhouse.insertText(table, columns.split(', '), rows);
    const insertConversions = () => insert('attribution_conversions', conversionColumns, copy(sql.conversions));
    const insertTouches = async (from: Snapshot['copy']) => {
      await insert('attribution_links', linkColumns, from(sql.links));
      await insert('attribution_touches', touchColumns, from(sql.touches));
    };
    if ('dirty' in selection) {
      await insertConversions();
      await insertTouches(copy);
    } else {
      // Millions of each: while one is being read, the other is being written.
      await beside(async (other) => {
        await Promise.all([insertConversions(), insertTouches(other.copy)]);
      });
    }
    return { dirty };
  });
}

type StagedTable = 'attribution_conversions' | 'attribution_links' | 'attribution_touches';

const conversionColumns =
  'batch_id, profile_id, bucket, conversion_id, conversion_time, person_id, is_anonymous, is_eligible, definition_id, conversion_type, revenue_type, value, has_value, currency, is_first_payment, purchase_id, lookback_days, cause, cause_ref';
const linkColumns = 'batch_id, profile_id, bucket, visitor_id, person_id';
const touchColumns =
  'batch_id, profile_id, bucket, person_id, touch_id, occurred_at, channel, source, medium, platform, campaign_id, ad_set_id, ad_id, ad_external_id, click_id_kind, click_mark';

/**
 * COPY takes no parameters; what is written into these texts are ids and words of our own.
 *
 * A person's bucket is where their first browser stands in the order of touches (ClickHouse orders UUIDs by the second half, of which
 * two bits are fixed), so that a bucket reads one stretch of that table and not all of it.
 */
function statements(profileId: string, batchId: string, selection: Selection, currency: string) {
  // Statistics say little of rows that have just come, and guessing from them once joined every dirty row with every outcome. The
  // OFFSET keeps to this way: from each dirty row to its outcome, by the key.
  const chosen =
    'dirty' in selection
      ? `(SELECT outcome_id, array_to_string(unite_causes(causes, array_remove(ARRAY[cause], NULL)), ',') AS cause, cause_ref FROM dirty_conversions WHERE profile_id = '${profileId}' AND outcome_id = ANY ('{${selection.dirty}}'::uuid[])) q
        CROSS JOIN LATERAL (SELECT * FROM outcomes WHERE profile_id = '${profileId}' AND id = q.outcome_id OFFSET 0) o`
      : `outcomes o CROSS JOIN (SELECT 'replay' AS cause, '${selection.replayId}'::uuid AS cause_ref) q`;
  // Where people stand matters only to several buckets, and costs a sort of all links.
  const buckets = 'dirty' in selection ? 1 : selection.buckets;
  const bucketOf = (place: string) =>
    buckets === 1 ? '0' : `(((get_byte(uuid_send(${place}), 8) & 63) * ${buckets}) >> 6)`;
  const person = 'coalesce(o.customer_id, o.visitor_id, o.id)';
  const time = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS')`;
  const homes = `(SELECT DISTINCT ON (customer_id) customer_id, visitor_id FROM visitor_links WHERE profile_id = '${profileId}' ORDER BY customer_id, substring(uuid_send(visitor_id) FROM 9))`;
  const home = buckets === 1 ? '' : `LEFT JOIN ${homes} h ON h.customer_id = o.customer_id`;
  const homeOf = buckets === 1 ? person : `coalesce(h.visitor_id, ${person})`;
  // What outcome_meanings says. That view behind the OFFSET would be planned for each row by itself, at twice the time.
  const definition = `
    LEFT JOIN definition_events byname ON byname.profile_id = o.profile_id AND byname.event_key = o.event_key
    LEFT JOIN definition_events bytype ON bytype.profile_id = o.profile_id AND bytype.event_key = o.event_type_key
    LEFT JOIN definitions d ON d.profile_id = o.profile_id AND d.id = coalesce(byname.definition_id, bytype.definition_id)`;
  const isCurrent = `o.reporting_amount IS NOT NULL AND o.reporting_currency = '${word(currency)}'`;
  // The CASE of revenue types says what `revenueType` of packages/rules says.
  const row = (at: string, isEligible: string) => `
    SELECT '${batchId}', o.profile_id, ${bucketOf(homeOf)}, o.id, ${time(at)}, ${person}, (o.customer_id IS NULL)::int,
      (${isEligible})::int, coalesce(d.id, '${nilUuid}'), coalesce(d.conversion_type, ''),
      CASE WHEN d.counts_as_cash THEN 'cash' WHEN d.conversion_type = 'order_placed' THEN 'gross' ELSE 'pipeline' END,
      CASE WHEN ${isCurrent} THEN (o.reporting_amount * ${10 ** minorDigits(currency)})::bigint ELSE 0 END,
      (o.amount IS NULL OR (${isCurrent}))::int, '${word(currency)}', coalesce(o.is_first_payment, false)::int,
      coalesce(o.purchase_id, '${nilUuid}'), coalesce(d.lookback_window_days, 1), q.cause, coalesce(q.cause_ref, '${nilUuid}')
    FROM ${chosen} ${home} ${definition}`;
  const moved = `${row('m.left_time', 'false')}
    JOIN moved_conversions m ON m.profile_id = o.profile_id AND m.outcome_id = o.id AND m.left_time <> o.occurred_at
    WHERE o.profile_id = '${profileId}'`;
  const people = `SELECT DISTINCT o.customer_id FROM ${chosen} WHERE o.profile_id = '${profileId}' AND o.customer_id IS NOT NULL`;
  const links =
    'dirty' in selection
      ? `(${people}) p CROSS JOIN LATERAL (SELECT * FROM visitor_links WHERE profile_id = '${profileId}' AND customer_id = p.customer_id OFFSET 0) l`
      : `visitor_links l ${buckets === 1 ? '' : `JOIN ${homes} h ON h.customer_id = l.customer_id`} WHERE l.profile_id = '${profileId}' AND l.customer_id IN (${people})`;
  // A cookie tells of a click by another name than the link it came by, which is what visits know it by.
  const clickKind = `CASE o.origin->>'click_id_kind' ${clickIdKindNames
    .flatMap((kind) =>
      clickIdKinds[kind].parameter === kind ? [] : [`WHEN '${kind}' THEN '${clickIdKinds[kind].parameter}'`],
    )
    .join(' ')} ELSE coalesce(o.origin->>'click_id_kind', '') END`;
  // What brought an outcome is a touch of everything else that its person did: of whoever is in the batch, all such outcomes.
  // Of what a caller called the ad, only what can be a platform's id goes on: the columns hold no free text.
  const adNumber = `CASE WHEN o.rest->>'ad_id' ~ '^\\s*[\\w-]{1,64}\\s*$' THEN trim(o.rest->>'ad_id') ELSE '' END`;
  const told = `o.origin->>'channel', o.origin->>'source', o.origin->>'medium', o.origin->>'platform', '${nilUuid}', '${nilUuid}', o.origin->>'ad_id', ${adNumber}, ${clickKind}, coalesce(o.origin->>'click_mark', '0')`;
  const touch = (bucket: string) =>
    `SELECT '${batchId}', o.profile_id, ${bucket}, ${person}, o.id, ${time('o.occurred_at')}, ${told}`;
  const touches =
    'dirty' in selection
      ? `${touch('0')} FROM (${people}) p CROSS JOIN LATERAL (SELECT * FROM outcomes WHERE profile_id = '${profileId}' AND customer_id = p.customer_id AND origin IS NOT NULL OFFSET 0) o
        UNION ALL
        ${touch('0')} FROM ${chosen} WHERE o.customer_id IS NULL AND o.origin IS NOT NULL`
      : `${touch(bucketOf(homeOf))} FROM outcomes o ${home} WHERE o.profile_id = '${profileId}' AND o.origin IS NOT NULL`;
  return {
    touches,
    conversions: `${row('o.occurred_at', 'coalesce(d.is_attribution_eligible, false)')} WHERE o.profile_id = '${profileId}' UNION ALL ${moved}`,
    links: `
      SELECT '${batchId}', l.profile_id, ${bucketOf('h.visitor_id')}, l.visitor_id, l.customer_id
      FROM ${links}
      UNION ALL
      SELECT DISTINCT '${batchId}', o.profile_id, ${bucketOf('o.visitor_id')}, o.visitor_id, o.visitor_id
      FROM ${chosen}
      WHERE o.profile_id = '${profileId}' AND o.customer_id IS NULL AND o.visitor_id IS NOT NULL`,
  };
}

function word(text: string): string {
  if (!/^[\w.-]{1,60}$/.test(text)) throw new TypeError(`"${text}" is not a word that may stand in a statement.`);
  return text;
}
