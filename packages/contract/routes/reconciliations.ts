import {
  actionOutcomes,
  attributionModelNames,
  channelNames,
  differenceKindNames,
  differenceStates,
  entityLevels,
  limits,
  outcomeSources,
  reconciledBookNames,
  reconciledBooks,
  reconciliationStates,
  uuidPattern,
} from '@tributary/vocabulary';
import { z } from 'zod';
import {
  CalendarDate,
  CurrencyCode,
  DateRange,
  DecimalString,
  data,
  dateRangeFaults,
  IsoTimestamp,
  limitParameter,
  page,
  Uuid,
} from '../primitives.ts';
import { anyOf, route } from '../route.ts';
import { Flag } from '../vocabulary.ts';

/** Compares providers, ledger, ClickHouse and reports, day by day. */

const chapter = 'Reconciliation';
const credentials = ['api_key', 'app', 'session', 'mcp'] as const;
const read = { credentials, scopes: anyOf('analytics:read'), grain: 'profile' } as const;
const write = { credentials, scopes: anyOf('attribution:write'), grain: 'profile' } as const;
const { pageSize, mostDifferences, graceHours, settledHours, nightlyDays, noteCharacters } = limits.reconciliation;
const Count = z.int().min(0);
const Side = z
  .strictObject({ count: Count.nullable().describe('Null where rows are not counted.'), value: DecimalString })
  .nullable()
  .describe('Null: this side is not compared in this book.');
const Books = z
  .array(z.enum(reconciledBookNames))
  .min(1)
  .max(reconciledBookNames.length)
  .describe(
    Object.entries(reconciledBooks)
      .map(([name, words]) => `\`${name}\`: ${words}`)
      .join(' '),
  );

const Reconciliation = z
  .strictObject({
    id: Uuid,
    state: z.enum(reconciliationStates),
    is_nightly: z.boolean().describe('False: somebody asked for it.'),
    books: Books,
    date_from: CalendarDate,
    date_to: CalendarDate,
    requested_at: IsoTimestamp,
    finished_at: IsoTimestamp.nullable(),
    differences: Count.describe('Rows that differ. Zero, or something went wrong.'),
    pending: Count.describe(
      `What differs and is no fault: it is just being worked out, a payment is younger than ${graceHours} hours, or an ad account has not said the same for ${settledHours} hours.`,
    ),
  })
  .meta({ id: 'Reconciliation' });

const BookOfDay = z
  .strictObject({
    book: z.enum(reconciledBookNames),
    channel: z.enum(channelNames).nullable().describe('Whose payments or ads; null: not of one provider.'),
    currency: CurrencyCode,
    at_provider: Side,
    in_ledger: Side,
    in_columns: Side,
    in_reports: Side,
    differences: Count,
    pending: Count,
  })
  .meta({ id: 'ReconciledBook' });

const Sum = z.strictObject({ count: Count, value: DecimalString });
const ReconciledSource = z
  .strictObject({
    source: z.enum(outcomeSources).describe('`api`, `import` and `browser`: the business itself.'),
    connection_id: Uuid.nullable(),
    currency: CurrencyCode,
    records: Sum.describe('All payments that the source reported, before refunds.'),
    duplicates: Sum.describe('Another source reports the same sale, and its record counts.'),
    excluded: Sum.describe('A member excluded the source.'),
    pending: Sum.describe('Still being matched.'),
    counted: Sum.describe('What reports count: records − duplicates − excluded − pending.'),
  })
  .meta({ id: 'ReconciledSource' });

const ReconciledDay = z
  .strictObject({
    day: CalendarDate.describe(
      'In the profile’s time zone; what ad accounts say is of their own day, payments of providers of a day of UTC.',
    ),
    differences: Count,
    pending: Count,
    books: z.array(BookOfDay).describe('Reports are named only where they differ.'),
    sources: z
      .array(ReconciledSource)
      .describe(
        'How many of each source’s payments count, by the day of UTC. Empty with one source, and without the book `providers`.',
      ),
  })
  .meta({ id: 'ReconciledDay' });

const Difference = z
  .strictObject({
    number: Count,
    book: z.enum(reconciledBookNames),
    kind: z.enum(differenceKindNames),
    state: z.enum(differenceStates),
    note: z.string().nullable().describe('Why it is none, where somebody said so.'),
    day: CalendarDate,
    currency: CurrencyCode.nullable(),
    conversion_id: Uuid.nullable().describe('Null: it is not of one conversion, or of one that was never recorded.'),
    channel: z.enum(channelNames).nullable(),
    connection_id: Uuid.nullable(),
    external_id: z.string().nullable().describe('The provider’s id of the payment.'),
    level: z.enum(entityLevels).nullable(),
    model: z.enum(attributionModelNames).nullable(),
    at_provider: DecimalString.nullable().describe(
      'Null: the provider has nothing of the kind, or is not asked in this book.',
    ),
    in_ledger: DecimalString.nullable(),
    in_columns: DecimalString.nullable(),
    in_reports: DecimalString.nullable(),
  })
  .meta({ id: 'ReconciliationDifference' });

const params = z.object({ reconciliation_id: Uuid });
const ids = { reconciliation_id: 'reconciliation' } as const;

export const createReconciliation = route({
  id: 'createReconciliation',
  method: 'POST',
  path: '/api/v1/reconciliations',
  summary: 'Have days reconciled',
  description: `Holds what providers say they were paid against the ledger, the ledger against what reports add up, the credit of each conversion against its value, a report’s rows against what there was to give, and what ad accounts cost as a whole against their ads; row by row where it must. Every night the last ${nightlyDays} days are looked at without asking, and every week all of them in the books that we keep ourselves. Up to ${limits.reconciliation.mostQueued} requests of a profile wait at a time.`,
  chapter,
  audit: 'not needed: it looks and changes nothing',
  access: write,
  body: { schema: DateRange.safeExtend({ books: Books.optional() }).strict() },
  refusedAs: dateRangeFaults,
  idempotency: 'accepted',
  answers: { 202: { schema: data(Reconciliation) } },
  refusals: ['invalid_state'],
});

export const listReconciliations = route({
  id: 'listReconciliations',
  method: 'GET',
  path: '/api/v1/reconciliations',
  summary: 'Reconciliations, the newest first',
  reveals: { days: 'any', people: 'none', costs: true },
  chapter,
  access: read,
  query: z.object({
    cursor: z
      .string()
      .regex(
        new RegExp(`^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z\\|${uuidPattern}$`),
        'is not one that this route gave out',
      )
      .refine((text) => !Number.isNaN(Date.parse(text.slice(0, 24))), 'is not one that this route gave out')
      .optional()
      .meta({ examples: ['2026-03-01T12:00:00.000Z|0d1f9c3e-6f1e-4b5a-8f0a-1c2d3e4f5a6b'] }),
    limit: limitParameter(pageSize),
  }),
  answers: { 200: { schema: page(Reconciliation) } },
});

export const readReconciliation = route({
  id: 'readReconciliation',
  method: 'GET',
  path: '/api/v1/reconciliations/{reconciliation_id}',
  summary: 'A reconciliation, day by day',
  reveals: { days: 'any', people: 'none', costs: true },
  chapter,
  access: read,
  params,
  ids,
  answers: {
    200: {
      schema: data(
        Reconciliation.extend({
          currency: CurrencyCode.nullable().describe('Null while it waits.'),
          days: z.array(ReconciledDay).describe('Days on which there was something.'),
          unread: z
            .array(z.strictObject({ connection_id: Uuid, channel: z.enum(channelNames), reason: z.string() }))
            .describe('Connections whose provider could not be asked; nothing is said of their days.'),
        }),
      ),
    },
  },
});

export const listDifferences = route({
  id: 'listDifferences',
  method: 'GET',
  path: '/api/v1/reconciliations/{reconciliation_id}/differences',
  summary: 'What differs, row by row',
  description: `Up to ${mostDifferences} of a run are named; what lies beyond is found by the next one.`,
  reveals: { days: 'any', people: 'none', costs: true },
  chapter,
  access: read,
  params,
  query: z.object({
    cursor: z
      .string()
      .regex(/^\d{1,9}$/, 'is not one that this route gave out')
      .optional()
      .meta({ examples: ['50'] }),
    limit: limitParameter(pageSize),
  }),
  ids,
  answers: { 200: { schema: page(Difference) } },
});

export const repairReconciliation = route({
  id: 'repairReconciliation',
  method: 'POST',
  path: '/api/v1/reconciliations/{reconciliation_id}/repair',
  summary: 'Have what differs worked out again',
  description:
    'Conversions are worked out again from the ledger, and providers are read again from the first page: no amount is ever edited. A conversion that was deleted from the ledger is only removed by a replay, and nothing is done about payments of which the provider does not know. Look with another reconciliation whether it helped.',
  chapter,
  audit: {
    action: 'reconciliation.repaired',
    of: 'reconciliation:{params.reconciliation_id}',
    unchanged: { outcome: ['no_change', 'dry_run'] },
  },
  access: write,
  params,
  query: z.object({ dry_run: Flag.default('false').describe('`true`: says how many, and does nothing.') }),
  body: {
    schema: z.strictObject({
      kinds: z.array(z.enum(differenceKindNames)).min(1).max(differenceKindNames.length).describe('Which of them.'),
    }),
  },
  ids,
  idempotency: 'natural',
  answers: {
    200: {
      schema: data(
        z.strictObject({
          id: Uuid,
          outcome: z.enum(actionOutcomes),
          conversions: Count.describe('That are worked out again.'),
          connections: Count.describe('That are read again.'),
        }),
      ),
    },
  },
});

export const explainDifference = route({
  id: 'explainDifference',
  method: 'POST',
  path: '/api/v1/reconciliations/{reconciliation_id}/differences/{number}/explain',
  summary: 'Say why something differs',
  description:
    'A provider’s own figure may be wrong, too. What is explained counts no longer, in later runs neither, as long as both sides say the same figures.',
  chapter,
  audit: { action: 'reconciliation.explained', of: 'reconciliation:{params.reconciliation_id}' },
  access: write,
  params: params.extend({
    number: z
      .string()
      .regex(/^[1-9]\d{0,8}$/, 'is not the number of a difference')
      .meta({ examples: ['1'] }),
  }),
  body: {
    schema: z.strictObject({
      note: z
        .string()
        .trim()
        .min(1)
        .max(noteCharacters)
        .meta({ examples: ['Stripe shows a test charge'] }),
    }),
  },
  ids,
  idempotency: 'natural',
  answers: { 200: { schema: data(Difference) } },
});

export const reconciliationRoutes = {
  createReconciliation,
  listReconciliations,
  readReconciliation,
  listDifferences,
  repairReconciliation,
  explainDifference,
};
