import { excludedKinds, exclusionReasons, limits } from '@tributary/vocabulary';
import { z } from 'zod';
import { CalendarDate, CurrencyCode, DecimalString, IsoTimestamp, IsoTimestampInput } from '../primitives.ts';
import { anyOf } from '../route.ts';
import { AttributionModel, Freshness } from '../vocabulary.ts';

/** Shared by reports: access, figure types and meta fields. */

export const chapter = 'Campaigns';

export const access = {
  credentials: ['api_key', 'app', 'session', 'mcp'],
  scopes: anyOf('campaigns:read'),
  grain: 'profile',
} as const;

/** Access to a report that may be shared by link. */
export const sharedAccess = { ...access, credentials: [...access.credentials, 'shared_link'] } as const;

export const Count = z.int().min(0);

/** Rounded to the minor unit of the reporting currency; rounding happens only here. */
export const Money = z.number();

/** 0 if there is no money; null if there is money that could not be converted. */
export const Amount = Money.nullable().describe(
  'Null: there is some, and none of it could be converted; `meta.exclusions` says how much.',
);

export const Ratio = z.number().nullable();

export const Stage = z.strictObject({
  state: Freshness.describe(
    `\`behind\` where something has waited longer than ${limits.freshness.behindAfterMinutes} minutes.`,
  ),
  waiting_since: IsoTimestamp.nullable().describe(
    'Of the oldest change that is not in the figures yet. Null: nothing waits.',
  ),
});

/** The `as_of` parameter of all reports. */
export const AsOf = {
  as_of: IsoTimestampInput.optional()
    .meta({ examples: ['2026-06-01T00:00:00Z'] })
    .describe(
      'The report as it stood at this moment, with the results, delivery, names, exchange rates, currency and time zone of then. Up to ' +
        `${limits.asOf.keptDays} days back. Absent: as it stands.`,
    ),
};

/** Money that is missing from the amounts of an answer. */
export const Exclusions = z.array(
  z
    .strictObject({
      of: z
        .enum(excludedKinds)
        .describe(
          '`payments`, or days of `spend` or of the `platform_value`, the conversion value that platforms report.',
        ),
      reason: z.enum(exclusionReasons),
      currency: CurrencyCode,
      count: Count.describe(`Of payments, up to ${limits.exclusions.counted.toLocaleString('en')}.`),
      amount: DecimalString.describe('In that currency.'),
    })
    .meta({ id: 'Exclusion' }),
);

export const DeliveryMeta = {
  as_of: IsoTimestamp.optional().describe(
    'Of a report as it stood: the moment that was read, which is the latest up to the asked one of which nothing more will become ' +
      `known (${limits.asOf.settledAfterMinutes} minutes ago, or before the oldest delivery that waits). Asked for again, it answers the same.`,
  ),
  date_from: CalendarDate,
  date_to: CalendarDate,
  currency: CurrencyCode.describe('The reporting currency: that of every amount here.'),
  exclusions: Exclusions.describe(
    'Money of these days, of the whole profile, that is in no amount here. Payments without a rate are counted all the same; a `duplicate` is ' +
      'a record of a sale that another record counts. As it stood, payments are not listed.',
  ),
  freshness: z
    .strictObject({ attribution: Stage, delivery: Stage })
    .describe(
      'How far the figures are: credit of conversions, and what platforms delivered and charged. Nothing waits for a report as it stood.',
    ),
};

export const ReportMeta = { ...DeliveryMeta, model: AttributionModel };

/** The figures of a closed month, beside the current ones. */
export const Closed = {
  closed_value: Money.optional().describe(
    'outcome_value when the month was closed. There only where the days asked for are a closed month.',
  ),
  changed_since: z.boolean().optional().describe('Whether outcome_value is another one by now; GET /changes says why.'),
};
export const ClosedMeta = {
  closed_as_of: IsoTimestamp.optional().describe('Of a closed month: the `as_of` that gives what was reported.'),
};

export const ByType = z
  .record(z.string(), z.int().min(1))
  .describe('attributed_outcome_count by conversion type. A type with nothing credited is absent.');

/** Credited outcomes; the same for rows, entities and the unattributed remainder. */
export const Outcomes = {
  outcome_count: Count.describe('Payments credited under the model. Cost figures divide by it.'),
  outcome_value: Amount.describe('Cash credited, refunds subtracted. Null: none of it could be converted.'),
  outcome_count_first_payment: Count.describe('Of outcome_count, first purchases; deposit and balance are one.'),
  attributed_outcome_count: Count.describe('Conversions of every kind credited. Not cash: never divide by it.'),
  attributed_outcomes_by_type: ByType,
};
