import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import {
  CalendarDate,
  CountryCode,
  CurrencyCode,
  DecimalString,
  data,
  IsoTimestamp,
  IsoTimestampInput,
  page,
  RequestId,
  Uuid,
  workspaceData,
  workspacePage,
} from './primitives.ts';

const id = '01890a5d-ac96-774b-bcce-b302099a8057';
const accepts = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success;

describe('dates', () => {
  test.each(['2026-01-31', '2024-02-29', '2000-02-29', '0001-01-01', '9999-12-31'])('%s is valid', (value) => {
    expect(accepts(CalendarDate, value)).toBe(true);
  });

  test.each([
    '2023-02-29',
    '1900-02-29',
    '2026-04-31',
    '2026-13-01',
    '2026-1-1',
    '20260131',
    '0000-01-01',
    ' 2026-01-31',
    '',
  ])('"%s" is invalid', (value) => {
    expect(accepts(CalendarDate, value)).toBe(false);
  });
});

describe('timestamps', () => {
  test.each([
    ['2026-01-31T09:30:00Z', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31T09:30:00.5Z', '2026-01-31T09:30:00.500Z'],
    ['2026-01-31T09:30:00.123456+02:00', '2026-01-31T07:30:00.123Z'],
    ['2025-12-31T22:00:00-03:00', '2026-01-01T01:00:00.000Z'],
  ])('%s is parsed to %s', (input, parsed) => {
    expect(IsoTimestampInput.parse(input)).toBe(parsed);
    expect(accepts(IsoTimestamp, parsed)).toBe(true);
  });

  test.each([
    ['a time without offset', '2026-01-31T09:30:00'],
    ['a date without time', '2026-01-31'],
    ['a date that does not exist', '2023-02-29T00:00:00Z'],
    ['the year zero', '0000-06-01T00:00:00Z'],
    ['the year zero by its offset', '0001-01-01T00:00:00+01:00'],
    ['the year 10000, by its offset', '9999-12-31T23:59:59-01:00'],
    ['a number', 1769851800],
  ])('rejects %s', (_, input) => {
    expect(accepts(IsoTimestampInput, input)).toBe(false);
  });

  test.each(['2026-01-31T09:30:00Z', '2026-01-31T09:30:00.000+00:00'])('%s is not in output format', (value) => {
    expect(accepts(IsoTimestamp, value)).toBe(false);
  });
});

describe('small values', () => {
  test.each(['0', '0.00', '-0.01', '12', '1250.50', '-99999999999999999999.999'])('%s is a valid decimal', (value) => {
    expect(accepts(DecimalString, value)).toBe(true);
  });

  test.each(['', '+1', '01', '1.', '.5', '1e3', '-0', '-0.00', '1,5', 'NaN', '1'.repeat(41)])(
    '"%s" is an invalid decimal',
    (value) => {
      expect(accepts(DecimalString, value)).toBe(false);
    },
  );

  test('codes are upper case and of fixed length', () => {
    expect(
      [CurrencyCode, CurrencyCode, CountryCode, CountryCode].map((code, i) =>
        accepts(code, ['CLP', 'clp', 'ZZ', 'CHL'][i]),
      ),
    ).toEqual([true, false, true, false]);
  });

  test('ids must be UUIDs, request ids have a prefix', () => {
    expect(accepts(Uuid, id)).toBe(true);
    expect(accepts(Uuid, 'not-an-id')).toBe(false);
    expect(accepts(RequestId, `req_${id}`)).toBe(true);
    expect(accepts(RequestId, id)).toBe(false);
  });
});

describe('envelopes', () => {
  const Row = z.strictObject({ name: z.string() });

  test('data() has exactly data and meta', () => {
    const schema = data(Row);
    const answer = { data: { name: 'a' }, meta: { profile_id: id } };
    expect(schema.parse(answer)).toEqual(answer);
    expect(accepts(schema, { data: { name: 'a' } })).toBe(false);
    expect(accepts(schema, { ...answer, extra: 1 })).toBe(false);
    expect(accepts(schema, { ...answer, meta: { profile_id: id, extra: 1 } })).toBe(false);
    expect(accepts(schema, { ...answer, meta: {} })).toBe(false);
    expectTypeOf<z.infer<typeof schema>>().toEqualTypeOf<{ data: { name: string }; meta: { profile_id: string } }>();
  });

  test('page() may add fields to meta', () => {
    const schema = page(Row, { date_from: CalendarDate });
    const answer = {
      data: [{ name: 'a' }],
      pagination: { has_next: false, cursor: 'c' },
      meta: { profile_id: id, date_from: '2026-01-31' },
    };
    expect(schema.parse(answer)).toEqual(answer);
    expect(accepts(schema, { ...answer, pagination: { has_next: false, cursor: null } })).toBe(true);
    expect(accepts(schema, { ...answer, pagination: { has_next: false } })).toBe(false);
    expect(accepts(schema, { ...answer, meta: { profile_id: id } })).toBe(false);
    expectTypeOf<z.infer<typeof schema>['meta']>().toEqualTypeOf<{ profile_id: string; date_from: string }>();
  });

  test('workspace envelopes contain the workspace id', () => {
    const meta = { workspace_id: id };
    expect(accepts(workspaceData(Row), { data: { name: 'a' }, meta })).toBe(true);
    expect(accepts(workspaceData(Row), { data: { name: 'a' }, meta: { profile_id: id } })).toBe(false);
    expect(accepts(workspacePage(Row), { data: [], pagination: { has_next: false, cursor: null }, meta })).toBe(true);
  });
});
