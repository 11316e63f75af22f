import { importRejections, importStatuses, limits, unparseableIdentifiers, uuidPattern } from '@tributary/vocabulary';
import { z } from 'zod';
import { placeOf } from '../fault-messages.ts';
import { ItemFault } from '../item-fault.ts';
import {
  CalendarDate,
  CountryCode,
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
import { ConversionKey, Device, RevenueType } from '../vocabulary.ts';
import { Exclusions } from './report-parts.ts';

const { maxRows } = limits.customerImport;
const { pageSize, queryMinCharacters } = limits.customerSearch;

/** Reasons for rejecting a row. The first three may also be `warnings` of a row that was accepted for another, valid identifier. */
const UnparseableIdentifier = z.enum(unparseableIdentifiers);
const ImportRejection = z.enum(importRejections);

const ImportRow = z
  .strictObject({
    phone: z
      .string()
      .max(100)
      .nullish()
      .describe('Normalised to E.164. Without a country code it is read as a number of `country`.')
      .meta({ examples: ['+56 9 1234 5678', '912345678'] }),
    email: z
      .string()
      .max(500)
      .nullish()
      .describe('Trimmed and lowercased.')
      .meta({ examples: ['ana.soto@example.cl'] }),
    national_id: z
      .string()
      .max(100)
      .nullish()
      .describe('A Chilean RUT, in any formatting.')
      .meta({ examples: ['12.345.678-5', '123456785'] }),
    external_id: z.string().max(500).nullish().describe('Your own id of the customer. Never enough alone.'),
    first_name: z.string().max(200).nullish().describe('Kept only where the customer has none yet.'),
    last_name: z.string().max(200).nullish().describe('Kept only where the customer has none yet.'),
  })
  .meta({
    id: 'ImportRow',
    description: 'At least one of phone, email and national_id. An empty text counts as absent.',
  });

export interface ImportFault {
  readonly field: string;
  readonly message: string;
}

/** A sent row: valid, or with its fault. */
export type JudgedImportRow = { readonly row: z.output<typeof ImportRow> } | { readonly fault: ImportFault };

// An invalid row does not reject the others. JSON Schema generation calls this without an issue, and gets a value without a
// fault.
const JudgedRow = ImportRow.transform((row): JudgedImportRow => ({ row })).catch(
  (refused) => (refused && { fault: faultOf(refused.error.issues[0], refused.input) }) as JudgedImportRow,
);

function faultOf(issue: z.core.$ZodIssue | undefined, input: unknown): ImportFault {
  if (input instanceof ItemFault) return { field: input.field, message: input.message };
  const field = issue ? placeOf(issue).join('.') : '';
  return issue && field !== ''
    ? { field, message: issue.message }
    : { field: '', message: 'must be a row with the fields of ImportRow' };
}

const ImportResult = z
  .strictObject({
    index: z.number().int().min(0).describe('The position of the row in the request.'),
    status: z.enum(importStatuses),
    customer_profile_id: Uuid.nullable().describe('Null when the row was rejected.'),
    reason: ImportRejection.optional().describe('Only on a rejected row.'),
    field: z
      .string()
      .optional()
      .describe('Only on a rejected row: the field that is to blame; empty where the row as a whole is.'),
    message: z.string().optional().describe('Only on a rejected row: what is wrong, in words.'),
    warnings: z
      .array(UnparseableIdentifier)
      .min(1)
      .optional()
      .describe('Identifiers that were dropped; the others were good enough.'),
  })
  .meta({ id: 'ImportResult' });

const Count = z.number().int().min(0);

export const importCustomers = route({
  id: 'importCustomers',
  method: 'POST',
  path: '/api/v1/customers',
  summary: 'Import customers by what they are known by',
  description:
    'Each row finds its customer by any identifier it names, or creates one. Rows are taken in order, so a duplicate matches the row ' +
    'before it. A row that cannot be taken is rejected by itself and never the batch. No outcome is recorded.',
  chapter: 'Customers',
  audit: 'not needed: what a shop reports of its customers is kept with its source and time',
  access: {
    credentials: ['api_key', 'app', 'session', 'mcp'],
    scopes: anyOf('attribution:write'),
    grain: 'profile',
  },
  rate: 'ingest',
  idempotency: 'accepted',
  body: {
    example: { rows: [{ external_id: 'customer-1', email: 'ana@example.com', phone: '+56987654321' }] },
    items: 'rows',
    schema: z.strictObject({
      country: z
        .string()
        .toUpperCase()
        .pipe(z.enum(['CL'], { error: 'must be CL, the one country whose national ids are known so far' }))
        .default('CL')
        .describe('Where phones without a country code and national ids belong. ISO 3166-1 alpha-2.'),
      rows: z.array(JudgedRow).min(1, `must hold 1 to ${maxRows} rows`).max(maxRows, `must hold 1 to ${maxRows} rows`),
    }),
    maxBytes: 2 * 1024 * 1024,
  },
  answers: {
    200: {
      schema: data(
        z.strictObject({
          results: z.array(ImportResult).describe('One for each row, in the order of the request.'),
          summary: z.strictObject({ total: Count, created: Count, matched: Count, rejected: Count }),
        }),
      ),
    },
  },
});

const CustomerCandidate = z
  .strictObject({
    customer_profile_id: Uuid,
    first_name: z.string().nullable(),
    last_name: z.string().nullable(),
    primary_email: z.string().nullable(),
    primary_phone: z.string().nullable().describe('E.164.'),
    first_seen_at: IsoTimestamp,
    last_seen_at: IsoTimestamp,
    conversion_count: Count,
    cash_revenue: DecimalString.nullable().describe(
      'Exact: parse it before you calculate. Null: there are payments, and none of them could be converted; see `meta.exclusions`.',
    ),
    sources: z.array(z.string()).describe('Who has told of this customer, for example `import`.'),
  })
  .meta({ id: 'CustomerCandidate' });

const searchCursorPattern = new RegExp(`^[0-2]\\|-?\\d+(\\.\\d+)?\\|\\d+\\|${uuidPattern}$`);

export const searchCustomers = route({
  id: 'searchCustomers',
  method: 'GET',
  path: '/api/v1/customers/search',
  summary: 'Find customers by name, e-mail address or phone number',
  description:
    'For a picker: finds what begins with the words asked for, whatever their accents and capitals. Phone numbers with or without ' +
    'country code. Exact matches come first, then the customers with the highest revenue.',
  reveals: { days: 'any', people: 'named', costs: false },
  chapter: 'Customers',
  access: {
    credentials: ['api_key', 'app', 'session', 'mcp'],
    scopes: anyOf('customers:read'),
    grain: 'person',
  },
  query: z.object({
    q: z.string().max(200).describe(`Under ${queryMinCharacters} characters the answer is an empty list.`),
    exclude: Uuid.optional().describe('A customer to leave out.'),
    cursor: z
      .string()
      .regex(searchCursorPattern, 'is not one that this route gave out')
      .optional()
      .meta({ examples: ['1|199.9|1763467200000|0d1f9c3e-6f1e-4b5a-8f0a-1c2d3e4f5a6b'] }),
    limit: limitParameter(pageSize),
  }),
  ids: { exclude: 'customer' },
  answers: {
    200: {
      schema: page(CustomerCandidate, {
        count: Count.describe('How many customers match, as far as they are read.'),
        is_count_exact: z.boolean().describe('False: more match than are read.'),
        exclusions: Exclusions.describe(
          'Payments of these customers without an exchange rate. They are in no amount here.',
        ),
      }),
    },
  },
});

const CustomerRow = z
  .strictObject({
    conversion_id: Uuid,
    customer_profile_id: Uuid.describe('The customer, or the browser of somebody unknown.'),
    name: z.string().nullable().describe('Null while nobody is known.'),
    email: z.string().nullable(),
    country: CountryCode.describe('Of the session that converted; ZZ when not known.'),
    device: Device,
    channel: z.string().describe('Of the last touch before the conversion; `unknown` without one.'),
    source: z.string(),
    revenue: z
      .number()
      .nullable()
      .describe('In the reporting currency, refunds subtracted. Null without an exchange rate; see `meta.exclusions`.'),
    revenue_type: RevenueType,
    conversion_time: IsoTimestamp,
    time_to_complete_seconds: z.number().min(0).describe('From the first touch; 0 without one.'),
    touch_count: Count,
    touch_channels: z.array(z.string()).describe('Each channel once.'),
    conversion_count: Count.describe('Of the customer, ever.'),
    total_revenue: z
      .number()
      .nullable()
      .describe('Cash of the customer, ever. Null: there are payments, and none of them could be converted.'),
  })
  .meta({ id: 'CustomerRow' });

/** A sort position, not a lookup key. */
const CursorId = z
  .string()
  .regex(new RegExp(`^${uuidPattern}$`), 'must be the second half of a cursor that this route gave out');

export const listCustomers = route({
  id: 'listCustomers',
  method: 'GET',
  path: '/api/v1/customers',
  summary: 'Customers who reached a goal',
  description:
    'One row for each conversion, newest first. While has_next is true, split `cursor` on `|` and send ' +
    'both halves as cursor_time and cursor_id. With a search that fits very many people a page may hold fewer rows than limit, or ' +
    'none, while has_next is true: go on.',
  reveals: { days: 'requested', people: 'named', costs: false },
  chapter: 'Customers',
  access: {
    credentials: ['api_key', 'app', 'session', 'mcp'],
    scopes: anyOf('customers:read'),
    grain: 'person',
  },
  query: DateRange.safeExtend({
    goal: ConversionKey.describe('A conversion type. An unknown one gives no rows.').meta({
      examples: ['payment_received', 'lead_created', 'appointment_booked', 'closed_won'],
    }),
    search: z
      .string()
      .max(200)
      .optional()
      .describe('Name or e-mail address, as GET /customers/search finds them; a phone number does, too.'),
    limit: limitParameter(limits.customerList.pageSize),
    cursor_time: IsoTimestamp.optional().describe('With cursor_id, from the page before.'),
    cursor_id: CursorId.optional(),
  }).refine(({ cursor_time, cursor_id }) => (cursor_time === undefined) === (cursor_id === undefined), {
    path: ['cursor_id'],
    message: 'goes together with cursor_time',
  }),
  refusedAs: dateRangeFaults,
  answers: {
    200: {
      schema: page(CustomerRow, {
        date_from: CalendarDate,
        date_to: CalendarDate,
        exclusions: Exclusions.describe(
          'Payments of these customers without an exchange rate. They are in no amount here.',
        ),
      }),
    },
  },
});
