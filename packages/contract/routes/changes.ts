import { causeKinds, figureCauses, figureUnits, limits, namesOf, summedFields } from '@tributary/vocabulary';
import { z } from 'zod';
import {
  CalendarDate,
  CurrencyCode,
  DateRange,
  DecimalString,
  data,
  dateRangeFaults,
  IsoTimestamp,
  IsoTimestampInput,
  limitParameter,
  page,
  Uuid,
} from '../primitives.ts';
import { route } from '../route.ts';
import { AttributionModel, AttributionModelParameter, EntityLevel } from '../vocabulary.ts';
import { access, Count, chapter } from './report-parts.ts';

/** Explains why a figure changed. */

const kinds = [...namesOf(causeKinds), ...namesOf(figureCauses)].map((kind) => `\`${kind}\``).join(', ');

const Changed = {
  field: z.enum(summedFields).describe('A ratio changes with the two figures that it divides: ask for those.'),
  entity_id: z
    .string()
    .max(200)
    .optional()
    .describe('The row’s campaign_id or entity_id, or `unattributed`. Absent: everything (the overview).'),
  level: EntityLevel.default('campaign'),
  model: AttributionModelParameter,
  type: z.string().max(64).optional().describe('Only conversions of this type, as in attributed_outcomes_by_type.'),
  from: IsoTimestampInput.meta({ examples: ['2026-06-01T00:00:00Z'] }).describe('The earlier moment, as `as_of`.'),
  to: IsoTimestampInput.optional()
    .meta({ examples: ['2026-06-08T00:00:00Z'] })
    .describe('The later moment, as `as_of`. Absent: the latest that is settled.'),
};

const ChangeMeta = {
  date_from: CalendarDate,
  date_to: CalendarDate,
  currency: CurrencyCode,
  model: AttributionModel,
  level: EntityLevel,
  from: IsoTimestamp.describe('The settled moments that were read, as `meta.as_of` of a report.'),
  to: IsoTimestamp,
};

const Causes = z
  .array(z.string())
  .describe(
    `Several where they came in one batch: ${kinds}. docs/guides/why-a-number-changed.md says what each means.`,
  );
const Ref = Uuid.nullable().describe('The merge, definition or replay, where it was a single one.');

export const readChanges = route({
  id: 'readChanges',
  method: 'GET',
  path: '/api/v1/changes',
  summary: 'Why a figure of a report changed',
  description:
    'The difference between a figure as it stood at two moments, by cause. `before` and `after` are what the report says with `as_of`; the ' +
    'differences of all causes and `unexplained`, which is zero, add up to `difference` exactly.',
  reveals: { days: 'requested', people: 'none', costs: true },
  chapter,
  access,
  query: DateRange.safeExtend(Changed),
  ids: { entity_id: 'ad_entity' },
  refusals: ['not_found'],
  refusedAs: dateRangeFaults,
  answers: {
    200: {
      schema: data(
        z.strictObject({
          field: z.enum(summedFields),
          unit: z.enum(figureUnits),
          before: DecimalString.describe('Money of which none could be converted is 0 here.'),
          after: DecimalString,
          difference: DecimalString,
          causes: z.array(
            z.strictObject({
              causes: Causes,
              ref: Ref,
              difference: DecimalString,
              conversions: Count.describe('Conversions that it changed; 0 of what is not about conversions.'),
            }),
          ),
          unexplained: DecimalString.describe('Anything but 0 is a fault of ours, and counted in our metrics.'),
        }),
        ChangeMeta,
      ),
    },
  },
});

export const listChangeRows = route({
  id: 'listChangeRows',
  method: 'GET',
  path: '/api/v1/changes/rows',
  summary: 'The conversions behind a change',
  description:
    'The steps by which conversions came to add more or less to the figure, the newest first; `after` less `before` of all of them is what ' +
    'the causes of conversions add up to. Figures of delivery have none: compare GET /explain at the two moments.',
  reveals: { days: 'requested', people: 'none', costs: true },
  chapter,
  access,
  query: DateRange.safeExtend({
    ...Changed,
    cause: z
      .string()
      .regex(/^[a-z_,]{0,400}$/, 'must be words of `causes` with commas between')
      .optional()
      .meta({ examples: ['refund'] })
      .describe('Only steps with exactly these causes, with commas between, in the order of `causes`.'),
    limit: limitParameter(limits.campaignConversions.pageSize),
    cursor: z.string().max(600).optional(),
  }),
  ids: { entity_id: 'ad_entity' },
  refusals: ['not_found'],
  refusedAs: dateRangeFaults,
  answers: {
    200: {
      schema: page(
        z
          .strictObject({
            at: IsoTimestamp.describe('Since when reports showed it so.'),
            conversion_id: Uuid,
            conversion_time: IsoTimestamp,
            causes: Causes,
            ref: Ref,
            before: DecimalString.describe('What it added to the figure until then.'),
            after: DecimalString,
          })
          .meta({ id: 'ChangeRow' }),
        ChangeMeta,
      ),
    },
  },
});
