import { actionOutcomes, differenceKindNames, limits, reconciliationStates, uuidPattern } from '@tributary/vocabulary';
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

/** Whether reports say what the ledger says, day by day. */

const chapter = 'Reconciliation';
const credentials = ['api_key', 'app', 'session', 'mcp'] as const;
const read = { credentials, scopes: anyOf('analytics:read'), grain: 'profile' } as const;
const write = { credentials, scopes: anyOf('attribution:write'), grain: 'profile' } as const;
const { pageSize, mostDifferences } = limits.reconciliation;
const Count = z.int().min(0);
const Side = z.strictObject({ conversions: Count, value: DecimalString });

const Reconciliation = z
  .strictObject({
    id: Uuid,
    state: z.enum(reconciliationStates),
    is_nightly: z.boolean().describe('False: somebody asked for it.'),
    date_from: CalendarDate,
    date_to: CalendarDate,
    requested_at: IsoTimestamp,
    finished_at: IsoTimestamp.nullable(),
    differences: Count.describe('Rows that differ. Zero, or something went wrong.'),
    pending: Count.describe('Rows that differ because they are just being worked out: no fault.'),
  })
  .meta({ id: 'Reconciliation' });

const ReconciledDay = z
  .strictObject({
    day: CalendarDate.describe('In the profile’s time zone.'),
    ledger: Side.describe('What was recorded and counts, in the reporting currency.'),
    columns: Side.describe('What reports add up.'),
    differences: Count,
    pending: Count,
  })
  .meta({ id: 'ReconciledDay' });

const Difference = z
  .strictObject({
    number: Count,
    kind: z.enum(differenceKindNames),
    conversion_id: Uuid,
    day: CalendarDate,
    in_ledger: DecimalString.nullable().describe('Null: the ledger has no such conversion.'),
    in_columns: DecimalString.nullable().describe('Null: the columns have no such conversion.'),
  })
  .meta({ id: 'ReconciliationDifference' });

const params = z.object({ reconciliation_id: Uuid });
const ids = { reconciliation_id: 'reconciliation' } as const;

export const createReconciliation = route({
  id: 'createReconciliation',
  method: 'POST',
  path: '/api/v1/reconciliations',
  summary: 'Have days reconciled',
  description:
    'Compares, row by row where it must, what was recorded with what reports add up, and the credit of each conversion with its value. Every night the last 35 days are looked at without asking.',
  chapter,
  audit: 'not needed: it looks and changes nothing',
  access: write,
  body: { schema: DateRange },
  refusedAs: dateRangeFaults,
  idempotency: 'accepted',
  answers: { 202: { schema: data(Reconciliation) } },
});

export const listReconciliations = route({
  id: 'listReconciliations',
  method: 'GET',
  path: '/api/v1/reconciliations',
  summary: 'Reconciliations, the newest first',
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
    'From the ledger, which is not touched: no amount is ever edited. A conversion that was deleted from the ledger is only removed by a replay. Look with another reconciliation whether it helped.',
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
    schema: z.object({
      kinds: z.array(z.enum(differenceKindNames)).min(1).max(differenceKindNames.length).describe('Which of them.'),
    }),
  },
  ids,
  idempotency: 'natural',
  answers: {
    200: { schema: data(z.strictObject({ id: Uuid, outcome: z.enum(actionOutcomes), conversions: Count })) },
  },
});

export const reconciliationRoutes = {
  createReconciliation,
  listReconciliations,
  readReconciliation,
  listDifferences,
  repairReconciliation,
};
