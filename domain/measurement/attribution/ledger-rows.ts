import { minorDigits } from '@tributary/rules';
import { clickIdKindNames, clickIdKinds, nilUuid } from '@tributary/vocabulary';

/**
 * SQL expressions for what attribution reads from the ledger, over an outcome `o` and its definition `d`. A batch (some outcomes of many
 * profiles) and a replay (all outcomes of one profile) share them, so that both compute the same rows.
 */

export const conversionColumns = [
  'conversion_id',
  'conversion_time',
  'person_id',
  'is_anonymous',
  'is_eligible',
  'definition_id',
  'conversion_type',
  'revenue_type',
  'value',
  'has_value',
  'currency',
  'is_first_payment',
  'purchase_id',
  'lookback_days',
] as const;

export const linkColumns = ['visitor_id', 'person_id'] as const;

export const touchColumns = [
  'person_id',
  'touch_id',
  'occurred_at',
  'channel',
  'source',
  'medium',
  'platform',
  'campaign_id',
  'ad_set_id',
  'ad_id',
  'ad_external_id',
  'click_id_kind',
  'click_mark',
] as const;

export const person = 'coalesce(o.customer_id, o.visitor_id, o.id)';

/** Equals the view outcome_meanings. With the view behind OFFSET 0, PostgreSQL plans it per row, which takes twice as long. */
export const definition = `
  LEFT JOIN definition_events byname ON byname.profile_id = o.profile_id AND byname.event_key = o.event_key
  LEFT JOIN definition_events bytype ON bytype.profile_id = o.profile_id AND bytype.event_key = o.event_type_key
  LEFT JOIN definitions d ON d.profile_id = o.profile_id AND d.id = coalesce(byname.definition_id, bytype.definition_id)`;

/** A record that does not count (`uncounted`) is no conversion. */
export const isEligible = '(coalesce(d.is_attribution_eligible, false) AND o.uncounted IS NULL)';

/** The text format of PostgreSQL; to_char takes several times as long. */
const time = (column: string) => `(${column} AT TIME ZONE 'UTC')`;

/** The values of conversionColumns. The CASE of revenue types must match `revenueType` of packages/rules. */
export function conversionValues(at: string, isEligible: string, { currency, units }: ReportingMoney): string[] {
  const isCurrent = `o.reporting_amount IS NOT NULL AND o.reporting_currency = ${currency}`;
  return [
    'o.id',
    time(at),
    person,
    '(o.customer_id IS NULL)::int',
    `(${isEligible})::int`,
    `coalesce(d.id, '${nilUuid}')`,
    "coalesce(d.conversion_type, '')",
    "CASE WHEN d.counts_as_cash THEN 'cash' WHEN d.conversion_type = 'order_placed' THEN 'gross' ELSE 'pipeline' END",
    `CASE WHEN ${isCurrent} THEN (o.reporting_amount * ${units})::bigint ELSE 0 END`,
    `(o.amount IS NULL OR (${isCurrent}))::int`,
    currency,
    'coalesce(o.is_first_payment, false)::int',
    `coalesce(o.purchase_id, '${nilUuid}')`,
    'coalesce(d.lookback_window_days, 1)',
  ];
}

/** SQL expressions for a profile's reporting currency and its minor units per unit. */
export interface ReportingMoney {
  readonly currency: string;
  readonly units: string;
}

export const minorUnits = (currency: string): string => String(10 ** minorDigits(currency));

// Cookies name a click id differently than the URL parameter. Visits store the parameter's name, so it is used here too.
const clickKind = `CASE o.origin->>'click_id_kind' ${clickIdKindNames
  .flatMap((kind) =>
    clickIdKinds[kind].parameter === kind ? [] : [`WHEN '${kind}' THEN '${clickIdKinds[kind].parameter}'`],
  )
  .join(' ')} ELSE coalesce(o.origin->>'click_id_kind', '') END`;

// Keeps a caller's ad id only if it can be a platform's id: ClickHouse must not receive free text.
const adNumber = `CASE WHEN o.rest->>'ad_id' ~ '^\\s*[\\w-]{1,64}\\s*$' THEN trim(o.rest->>'ad_id') ELSE '' END`;

/** Selects a partner-reported touch with the columns of an outcome that touchValues reads. */
export const partnerTouch =
  "profile_id, id, customer_id, NULL::uuid AS visitor_id, occurred_at, origin, jsonb_build_object('ad_id', ad_external_id) AS rest, NULL::uuid AS duplicate_of";

/** A duplicate's touch counts no later than the counted record of its sale. */
const touchTime = `least(o.occurred_at,
  (SELECT c.occurred_at FROM outcomes c WHERE o.duplicate_of IS NOT NULL AND c.profile_id = o.profile_id AND c.id = o.duplicate_of))`;

/** The values of touchColumns: the ad or click that brought an outcome is a touch for all other conversions of the same customer. */
export const touchValues = [
  person,
  'o.id',
  time(touchTime),
  "o.origin->>'channel'",
  "o.origin->>'source'",
  "o.origin->>'medium'",
  "o.origin->>'platform'",
  `'${nilUuid}'`,
  `'${nilUuid}'`,
  "o.origin->>'ad_id'",
  adNumber,
  clickKind,
  "coalesce(o.origin->>'click_mark', '0')",
];
