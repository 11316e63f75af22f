import { minorDigits } from '@tributary/rules';
import { clickIdKindNames, clickIdKinds, nilUuid } from '@tributary/vocabulary';

/**
 * What attribution takes of the ledger, as expressions over an outcome `o` and its definition `d`: a batch reads some
 * outcomes of many profiles, a replay all of one, and both must mean the same.
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

/** What outcome_meanings says. That view behind the OFFSET would be planned for each row by itself, at twice the time. */
export const definition = `
  LEFT JOIN definition_events byname ON byname.profile_id = o.profile_id AND byname.event_key = o.event_key
  LEFT JOIN definition_events bytype ON bytype.profile_id = o.profile_id AND bytype.event_key = o.event_type_key
  LEFT JOIN definitions d ON d.profile_id = o.profile_id AND d.id = coalesce(byname.definition_id, bytype.definition_id)`;

/** A record that is not counted is no conversion. */
export const isEligible = '(coalesce(d.is_attribution_eligible, false) AND o.uncounted IS NULL)';

/** As PostgreSQL writes it: to_char takes several times as long. */
const time = (column: string) => `(${column} AT TIME ZONE 'UTC')`;

/** The values of conversionColumns. The CASE of revenue types says what `revenueType` of packages/rules says. */
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

/** A profile's currency and how many minor units one of it has, as expressions. */
export interface ReportingMoney {
  readonly currency: string;
  readonly units: string;
}

export const minorUnits = (currency: string): string => String(10 ** minorDigits(currency));

// A cookie tells of a click by another name than the link it came by, which is what visits know it by.
const clickKind = `CASE o.origin->>'click_id_kind' ${clickIdKindNames
  .flatMap((kind) =>
    clickIdKinds[kind].parameter === kind ? [] : [`WHEN '${kind}' THEN '${clickIdKinds[kind].parameter}'`],
  )
  .join(' ')} ELSE coalesce(o.origin->>'click_id_kind', '') END`;

// Of what a caller called the ad, only what can be a platform's id goes on: the columns hold no free text.
const adNumber = `CASE WHEN o.rest->>'ad_id' ~ '^\\s*[\\w-]{1,64}\\s*$' THEN trim(o.rest->>'ad_id') ELSE '' END`;

/** What a partner told of a customer, with the columns of an outcome that values of touches are made from. */
export const partnerTouch =
  "profile_id, id, customer_id, NULL::uuid AS visitor_id, occurred_at, origin, jsonb_build_object('ad_id', ad_external_id) AS rest, NULL::uuid AS duplicate_of";

/** What brought a duplicate brought its sale, which the counted record may date earlier. */
const touchTime = `least(o.occurred_at,
  (SELECT c.occurred_at FROM outcomes c WHERE o.duplicate_of IS NOT NULL AND c.profile_id = o.profile_id AND c.id = o.duplicate_of))`;

/** The values of touchColumns: what brought an outcome is a touch of everything else that its person did. */
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
