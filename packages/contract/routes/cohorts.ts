import { defaultAttributionModel, limits, singleModels } from '@tributary/vocabulary';
import { z } from 'zod';
import {
  CalendarDate,
  CurrencyCode,
  DateRange,
  DecimalString,
  dateRangeFaults,
  limitParameter,
  page,
  Uuid,
} from '../primitives.ts';
import { route } from '../route.ts';
import { EntityLevel } from '../vocabulary.ts';
import { Count, chapter, sharedAccess } from './report-parts.ts';

const Month = z
  .string()
  .regex(/^\d{4}-\d\d$/)
  .meta({ examples: ['2026-05'] });

const Cohort = z
  .strictObject({
    month: Month.describe('In which they first paid, in the profile’s time zone.'),
    entity_id: Uuid.nullable().describe('Who earned that first payment under the model. Null: no entity of the level.'),
    name: z.string().nullable(),
    customers: Count,
    value: DecimalString.describe('All that they have paid so far, refunds subtracted.'),
    spend: DecimalString.nullable().describe(
      'What the entity cost on the days of the month that were asked for. Null: it is no entity, or nothing of it could be converted.',
    ),
    payback_months: Count.nullable().describe(
      'Months from the first until what they paid covered the spend, 0 within the same. Null: not yet, or the spend is not known.',
    ),
    months: z
      .array(
        z.strictObject({
          month: Month,
          customers: Count.describe('Of them, those who paid in the month.'),
          payments: Count,
          value: DecimalString,
        }),
      )
      .describe('Months in which somebody of them paid, the earliest first.'),
  })
  .meta({ id: 'Cohort' });

export const listCohorts = route({
  id: 'listCohorts',
  method: 'GET',
  path: '/api/v1/cohorts',
  summary: 'What those acquired in a month have paid since',
  description:
    'A row for every month and every campaign, ad set or ad that earned first payments in it, and one for what none of them earned. ' +
    'date_from and date_to choose who is meant, by the day of their first payment; what they paid later counts whenever it was. Every ' +
    'payment is in one row, so over all days the values add up to all payments. In the order of months, then of ids.',
  reveals: { days: 'requested', people: 'none', costs: true },
  chapter,
  access: sharedAccess,
  query: DateRange.safeExtend({
    level: EntityLevel.default('campaign'),
    model: z
      .enum(singleModels)
      .default(defaultAttributionModel)
      .describe('A model of one credit: nobody is acquired by two.'),
    limit: limitParameter(limits.cohorts.pageSize),
    cursor: z.string().max(200).optional().describe('From the page before.'),
  }),
  refusedAs: dateRangeFaults,
  // Later payments of customers acquired on these days belong to their cohort.
  answers: {
    200: {
      schema: page(Cohort, {
        date_from: CalendarDate,
        date_to: CalendarDate,
        currency: CurrencyCode,
        model: z.enum(singleModels),
        level: EntityLevel,
        time_zone: z.string(),
      }),
    },
  },
});
