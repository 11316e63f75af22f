import { limits } from '@tributary/vocabulary';
import { z } from 'zod';
import { CalendarDate, DateRange, DecimalString, data, dateRangeFaults, Uuid } from '../primitives.ts';
import { route } from '../route.ts';
import { AttributionModelParameter, EntityLevel } from '../vocabulary.ts';
import { Amount, AsOf, Count, chapter, DeliveryMeta, Ratio, ReportMeta, sharedAccess } from './report-parts.ts';

/** A profile's key figures, and the comparison with the claims of ad platforms. */

const Sides = {
  spend: Amount,
  platform_conversions: z.number().nullable().describe('Null: the platform reported nothing.'),
  platform_conversion_value: DecimalString.nullable(),
  atribu_conversions: Count.describe('Conversions that we credit.'),
  atribu_cash_conversions: Count.describe('The payments among them.'),
  atribu_cash_credits: z
    .number()
    .describe(
      'The payments divided as the model divides them, in up to six decimals: the counts above have each payment in which it has a share, ' +
        'these credits of all platforms together are never more than the payments there were.',
    ),
  atribu_cash_revenue: DecimalString.nullable().describe(
    'Cash that we credit, refunds subtracted. Null as outcome_value.',
  ),
  conversion_gap: z.number().nullable().describe('Ours minus the platform’s. Negative: the platform claims more.'),
  conversion_gap_pct: z.number().nullable().describe('The gap in percent of the platform’s count.'),
  value_gap: DecimalString.nullable().describe('Our cash minus the platform’s value.'),
  platform_roas: Ratio,
  atribu_roas: Ratio,
};

export const readPlatformComparison = route({
  id: 'readPlatformComparison',
  method: 'GET',
  path: '/api/v1/campaigns/platform-comparison',
  summary: 'What platforms claim, beside what we credit',
  description: `The two sides count differently and are never added together. Of more than ${limits.platformComparison.maxEntities.toLocaleString('en')} entities, those that earned most.`,
  reveals: { days: 'requested', people: 'none', costs: true },
  chapter,
  access: sharedAccess,
  query: DateRange.safeExtend({
    model: AttributionModelParameter,
    level: EntityLevel.default('campaign'),
    ...AsOf,
  }),
  refusedAs: dateRangeFaults,
  answers: {
    200: {
      schema: data(
        z.strictObject({
          platforms: z.array(
            z
              .strictObject({
                platform: z.string(),
                ...Sides,
                reported_basis: z.string().describe('What the platform’s count means.'),
                has_delivery: z.boolean(),
                delivery_through: CalendarDate.nullable().describe('The last day that was told.'),
                unassigned_conversions: Count.describe(
                  'Credit of paid clicks that named no ad; the same at every level.',
                ),
                unassigned_cash_revenue: DecimalString,
              })
              .meta({ id: 'PlatformTotal' }),
          ),
          rows: z.array(
            z
              .strictObject({
                entity_id: Uuid,
                external_id: z.string().nullable(),
                name: z.string(),
                platform: z.string(),
                ...Sides,
              })
              .meta({ id: 'PlatformRow' }),
          ),
        }),
        ReportMeta,
      ),
    },
  },
});

const Totals = {
  spend: Amount,
  outcome_count: Count.describe('Payments.'),
  outcome_value: Amount,
  attributed_outcome_count: Count.describe('Conversions of every kind, whoever earned them.'),
};

export const readOverview = route({
  id: 'readOverview',
  method: 'GET',
  path: '/api/v1/overview',
  summary: 'All spend and all conversions, in total and by day',
  description: 'Every conversion once, credited or not; so it is the same under every model.',
  reveals: { days: 'requested', people: 'none', costs: true },
  chapter,
  access: sharedAccess,
  query: DateRange.safeExtend(AsOf),
  refusedAs: dateRangeFaults,
  answers: {
    200: {
      schema: data(
        z.strictObject({
          totals: z.strictObject({
            ...Totals,
            roas: Ratio,
            cac: Ratio,
            outcomes_by_type: z.record(z.string(), z.int().min(1)),
          }),
          days: z.array(z.strictObject({ date: CalendarDate, ...Totals })).describe('Every day, also those of zeros.'),
          channels: z
            .array(
              z.strictObject({
                channel: z.string(),
                outcome_count: Count,
                outcome_value: Amount,
                attributed_outcome_count: Count,
              }),
            )
            .describe('By the channel of the last touch, `no_touch` where none is known; they add up to the totals.'),
        }),
        { ...DeliveryMeta, time_zone: z.string() },
      ),
    },
  },
});

// ── Explain
// ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
