import {
  adPlatformNames,
  creatorKinds,
  dayMs,
  limits,
  namesOf,
  type PageSize,
  uuidPattern,
} from '@tributary/vocabulary';
import { z } from 'zod';

/**
 * Any RFC 9562 UUID. Ours are version 7, or version 5 if derived from their input. A derived id (a visitor's, cut from an HMAC)
 * must set the version and variant bits too, or it is rejected here.
 */
export const Uuid = z.uuid();

export const RequestId = z.string().regex(new RegExp(`^req_${uuidPattern}$`), 'must be req_ and a UUID');

// ISO 8601 has a year zero, which PostgreSQL rejects, and an offset can push a time past 9999, which our own format rejects.
// Without this check either would cause a 500.
const isInYears1To9999 = (value: string) => {
  const year = new Date(value).getUTCFullYear();
  return year >= 1 && year <= 9999;
};

const dateError = 'must be a real date written YYYY-MM-DD';

/** An existing day in the profile's time zone. 2023-02-29 is rejected. */
export const CalendarDate = z.iso.date({ error: dateError }).refine(isInYears1To9999, dateError);

/** A time in our output format: UTC with milliseconds, so that equal times are equal strings. */
export const IsoTimestamp = z.iso.datetime({ precision: 3 });

const timestampError = 'must be an ISO 8601 time with Z or an offset, like 2026-01-31T09:30:00Z';

/**
 * A time in input format: any offset, any precision. A time without an offset is rejected, because a guessed zone would silently
 * shift the event by hours. Parsed to IsoTimestamp.
 */
export const IsoTimestampInput = z.iso
  .datetime({ offset: true, error: timestampError, abort: true })
  .refine(isInYears1To9999, timestampError)
  .transform((value) => new Date(value).toISOString());

/** Exact decimals, such as money, which a JSON number would round. Each value has one spelling: no +, no leading zero, no -0. */
const decimal = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .regex(/^(?!-0(\.0+)?$)-?(0|[1-9]\d*)(\.\d+)?$/, 'must be a decimal number in a string, like "1250.50"');
export const DecimalString = decimal(40);
/** A product of an amount and a rate, or a sum of such products, with all digits. */
export const ExactDecimal = decimal(100);

/** A caller's own customer key in an answer. */
export const customerKey = (what: string) =>
  z
    .string()
    .nullable()
    .describe(
      `${what} Null for whoever may not see people where it has the shape of an e-mail address, a phone or a national id, and on a ` +
        'healthcare-family profile unless the request itself named the customer by it.',
    );

/** The shape of ISO 4217. packages/rules checks whether the code is in use, because that list changes. */
export const CurrencyCode = z.string().regex(/^[A-Z]{3}$/, 'must be a currency code of ISO 4217, like CLP');

/** The shape of ISO 3166-1 alpha-2. An unknown country is ZZ, which the standard reserves for users. */
export const CountryCode = z.string().regex(/^[A-Z]{2}$/, 'must be a country code of ISO 3166-1, like CL');

/** The country code in input format. */
export const CountryCodeInput = z
  .string()
  .toUpperCase()
  .regex(/^[A-Z]{2}$/, 'must be a country code of ISO 3166-1, like CL');

/** A region of a country. */
export const RegionCode = z
  .string()
  .toUpperCase()
  .regex(/^[A-Z]{2}-[A-Z0-9]{1,3}$/, 'must be a region code of ISO 3166-2, like CL-RM');

/** The keys of a table as an enum. */
export function enumOf<const Table extends Readonly<Record<string, unknown>>>(table: Table) {
  return z.enum(namesOf(table));
}

/** An object with one field per word, all of the same shape. */
export function fieldsOf<const Word extends string, Shape extends z.ZodType>(words: readonly Word[], shape: Shape) {
  return Object.fromEntries(words.map((word) => [word, shape])) as Record<Word, Shape>;
}

export const Pagination = z.strictObject({
  has_next: z.boolean(),
  cursor: z
    .string()
    .nullable()
    .describe('Where the next page starts. Also on the last page; null when there are no rows.'),
});

type Shape = z.core.$ZodShape;
type NoShape = Record<never, never>;

const profileMeta = <Meta extends Shape>(meta: Meta) => z.strictObject({ profile_id: Uuid, ...meta });
const workspaceMeta = <Meta extends Shape>(meta: Meta) => z.strictObject({ workspace_id: Uuid, ...meta });

/** `{data, meta: {profile_id}}`; `meta` adds fields to the meta. */
export function data<Data extends z.ZodType, Meta extends Shape = NoShape>(schema: Data, meta: Meta = {} as Meta) {
  return z.strictObject({ data: schema, meta: profileMeta(meta) });
}

/** A page of rows: `{data: [row], pagination, meta: {profile_id}}`. */
export function page<Row extends z.ZodType, Meta extends Shape = NoShape>(row: Row, meta: Meta = {} as Meta) {
  return z.strictObject({ data: z.array(row), pagination: Pagination, meta: profileMeta(meta) });
}

/** Like `data`, for a route about a workspace instead of a profile. */
export function workspaceData<Data extends z.ZodType, Meta extends Shape = NoShape>(
  schema: Data,
  meta: Meta = {} as Meta,
) {
  return z.strictObject({ data: schema, meta: workspaceMeta(meta) });
}

/** Like `page`, for a route about a workspace. */
export function workspacePage<Row extends z.ZodType, Meta extends Shape = NoShape>(row: Row, meta: Meta = {} as Meta) {
  return z.strictObject({ data: z.array(row), pagination: Pagination, meta: workspaceMeta(meta) });
}

/** Like `data`, for a route about the caller, without a profile or workspace. */
export function accountData<Data extends z.ZodType>(schema: Data) {
  return z.strictObject({ data: schema, meta: z.strictObject({}) });
}

/** A single-line name: a line break could forge a line in a mail, log or CSV file. */
export const nameOf = (maxCharacters: number) =>
  z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(maxCharacters, `may have up to ${maxCharacters} characters`)
    .regex(/^\P{Cc}*$/u, 'must not contain control characters, such as line breaks');
export const Name = nameOf(200);

/** The creator of a credential or link. */
export const CreatedBy = z
  .strictObject({
    kind: z.enum(creatorKinds).describe('A member (`user`), an app or the operator.'),
    id: z.string().describe('The id of the account or app.'),
    name: z.string().nullable().describe('The name of the member, also after they left.'),
    email: z.string().nullable().describe('The address of the member.'),
  })
  .nullable()
  .describe('Who created it. Null: it is older than this record, or an app invited the owner.');

/** The `data` of every DELETE answer. */
export const Deleted = z.strictObject({ id: Uuid, deleted: z.literal(true) });

/**
 * A page size parameter. A value outside its range is rejected, not clamped: a caller that requests 500 must not believe it got
 * them.
 */
export function limitParameter({ min, default: usual, max }: PageSize) {
  return z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be from ${min} to ${max}`)
    .default(usual)
    .describe(`From ${min} to ${max}; ${usual} when absent.`);
}

/** The number of rows to skip. */
export function offsetParameter(most: number) {
  return z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value <= most, `must be from 0 to ${most}`)
    .default(0)
    .describe(`How many to skip, from 0 to ${most}; 0 when absent.`);
}

const { maxDays } = limits.dateRange;

/** The days of a report, both inclusive. */
export const DateRange = z
  .object({ date_from: CalendarDate, date_to: CalendarDate })
  .refine(({ date_from, date_to }) => date_from <= date_to, {
    path: ['date_to'],
    message: 'must not be before date_from',
    abort: true,
  })
  .refine(({ date_from, date_to }) => (Date.parse(date_to) - Date.parse(date_from)) / dayMs < maxDays, {
    path: ['date_to'],
    message: `may be up to ${maxDays} days after date_from, that day included`,
  });

/** Invalid dates have their own code on every report. */
export const dateRangeFaults = { date_from: 'invalid_date_range', date_to: 'invalid_date_range' } as const;

/** The ad platform. Open: spend may also be on platforms outside the vocabulary. */
export const Platform = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,39}$/, 'must be small letters, digits and _, starting with a letter')
  .describe('The name that visits carry, so that spend and outcomes meet: docs/channels.md lists them.')
  .meta({ examples: adPlatformNames.slice(0, 3) });
