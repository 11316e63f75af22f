import { routes } from '@tributary/contract';
import { type BuiltKey, buildApiKey, buildProfile, openKit, serve, served, testTombstones } from '@tributary/testkit';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { importCustomers } from './module.ts';

const kit = await openKit();
const server = await serve(kit, [served(routes.importCustomers, importCustomers, { tombstones: testTombstones })]);
let profileId: string;
let key: BuiltKey;
afterAll(() => server.close());

beforeEach(async () => {
  ({ id: profileId } = await buildProfile(kit.app));
  key = await buildApiKey(kit.app, profileId);
});

const post = (body: unknown, headers: Record<string, string> = {}) =>
  server.fastify.inject({
    method: 'POST',
    url: '/api/v1/customers',
    headers: { ...key.headers, 'content-type': 'application/json', ...headers },
    payload: JSON.stringify(body),
  });

interface Result {
  index: number;
  status: string;
  customer_profile_id: string | null;
  reason?: string;
  warnings?: string[];
}
const importRows = async (...rows: unknown[]): Promise<Result[]> => {
  const response = await post({ rows });
  expect(response.statusCode, response.body).toBe(200);
  return response.json().data.results;
};
const importOne = async (row: unknown): Promise<Result> => {
  const [result] = await importRows(row);
  return result as Result;
};
const idOf = async (row: unknown): Promise<string> => (await importOne(row)).customer_profile_id as string;

const read = <T>(query: ReturnType<typeof sql<T>>) =>
  kit.app.forProfile(profileId).transaction(async (tx) => (await query.execute(tx)).rows);
const identifiers = async (customerId: string) =>
  (
    await read(sql<{ text: string }>`
      SELECT kind || ' ' || value AS text FROM identifiers WHERE customer_id = ${customerId} ORDER BY kind, value`)
  ).map(({ text }) => text);
const customer = async (id: string) => {
  const [row] = await read(sql<Record<string, unknown>>`SELECT * FROM customers WHERE id = ${id}`);
  return row;
};
const countOf = async (table: string) =>
  (await read(sql<{ count: number }>`SELECT count(*)::int AS count FROM ${sql.table(table)}`))[0]?.count;

describe('200', () => {
  describe('a batch with new, existing and unidentified rows', () => {
    const batch = [
      { email: 'new@example.cl' },
      { email: 'KNOWN@example.cl' },
      { first_name: 'Nobody' },
      { phone: '+56912345678' },
    ];
    const id = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

    test('[cust-050] [cust-029] [cust-062] returns results, a summary and the profile', async () => {
      await importOne({ email: 'known@example.cl' });
      const response = await post({ country: 'CL', rows: batch });
      expect(response.statusCode).toBe(200);
      expect(response.json()).toEqual({
        data: {
          results: [
            { index: 0, status: 'created', customer_profile_id: id },
            { index: 1, status: 'matched', customer_profile_id: id },
            {
              ...{ index: 2, status: 'rejected', customer_profile_id: null, reason: 'no_identifier' },
              ...{ field: '', message: expect.any(String) },
            },
            { index: 3, status: 'created', customer_profile_id: id },
          ],
          summary: { total: 4, created: 2, matched: 1, rejected: 1 },
        },
        meta: { profile_id: profileId },
      });
    });

    test('[cust-030] [cust-059] returns one result per row, in order', async () => {
      for (const rows of [batch, batch.toReversed()]) {
        const results = await importRows(...rows);
        expect(results.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
        expect(results.map(({ status }) => status === 'rejected')).toEqual(rows.map((row) => 'first_name' in row));
      }
    });

    test('[cust-031] [cust-032] returns created, matched with the customer id, or rejected', async () => {
      const known = await idOf({ email: 'known@example.cl' });
      const results = await importRows(...batch);
      expect(results.map(({ status }) => status)).toEqual(['created', 'matched', 'rejected', 'created']);
      expect(results[1]?.customer_profile_id).toBe(known);
      expect(new Set(results.map(({ customer_profile_id }) => customer_profile_id)).size).toBe(4);
    });

    test('[cust-033] [cust-034] returns a reason for rejected rows and a customer id for all others', async () => {
      for (const { status, customer_profile_id, ...rest } of await importRows(...batch)) {
        expect('reason' in rest).toBe(status === 'rejected');
        expect(customer_profile_id === null).toBe(status === 'rejected');
      }
    });

    test('[cust-035] returns a summary that matches the results', async () => {
      await importOne({ email: 'known@example.cl' });
      const { results, summary } = (await post({ rows: batch })).json().data;
      const count = (status: string) => results.filter((one: Result) => one.status === status).length;
      expect(summary).toEqual({
        total: results.length,
        created: count('created'),
        matched: count('matched'),
        rejected: count('rejected'),
      });
      expect(summary).toEqual({ total: 4, created: 2, matched: 1, rejected: 1 });
    });
  });

  test('[cust-022] [cust-023] [cust-024] [cust-025] stores each field of a row in normalised form', async () => {
    const id = await idOf({
      phone: '9 1234 5678',
      email: '  Ana.Soto@Example.CL ',
      national_id: '12.345.678-5',
      external_id: ' C-1 ',
      first_name: ' Ana ',
      last_name: 'Soto  Rojas',
    });
    expect(await identifiers(id)).toEqual([
      'email ana.soto@example.cl',
      'external_customer_id C-1',
      'national_id 12345678-5',
      'phone +56912345678',
    ]);
    expect(await customer(id)).toMatchObject({
      first_name: 'Ana',
      last_name: 'Soto Rojas',
      primary_email: 'ana.soto@example.cl',
      primary_phone: '+56912345678',
      sources: ['import'],
      first_seen_at: kit.clock.now(),
    });
  });

  test('[cust-025] matches a RUT in any formatting', async () => {
    const results = await importRows(
      ...['12.345.678-5', '12345678-5', '123456785', ' 12 345 678-5'].map((national_id) => ({ national_id })),
    );
    expect(results.map(({ status }) => status)).toEqual(['created', 'matched', 'matched', 'matched']);
    expect(new Set(results.map(({ customer_profile_id }) => customer_profile_id)).size).toBe(1);
  });

  test('[cust-027] [cust-028] sets a name only if the customer has none', async () => {
    const id = await idOf({ email: 'ana@example.cl', first_name: 'Ana' });
    await importRows(
      { email: 'ana@example.cl', first_name: 'Other', last_name: 'Soto' },
      { email: 'ana@example.cl', last_name: 'Other' },
    );
    expect(await customer(id)).toMatchObject({ first_name: 'Ana', last_name: 'Soto' });
  });

  test('[cust-026] [cust-057] [cust-058] rejects a row with only external_id and creates no customer', async () => {
    expect(await importOne({ external_id: 'C-9', first_name: 'Ana' })).toMatchObject({
      status: 'rejected',
      reason: 'no_identifier',
    });
    expect(await countOf('customers')).toBe(0);
    const id = await idOf({ external_id: 'C-9', email: 'ana@example.cl' });
    // An existing key is not enough alone, but matches its customer next to another identifier.
    expect(await importOne({ external_id: 'C-9' })).toMatchObject({ status: 'rejected' });
    expect(await importOne({ external_id: 'C-9', email: 'other@example.cl' })).toMatchObject({
      status: 'matched',
      customer_profile_id: id,
    });
  });

  test.each([
    [{ phone: 'n/a' }, 'unparseable_phone', 'phone'],
    [{ email: 'ana at example' }, 'unparseable_email', 'email'],
    [{ national_id: '12.345.678-4' }, 'unparseable_national_id', 'national_id'],
    [{ phone: 'n/a', external_id: 'C-1' }, 'unparseable_phone', 'phone'],
    [{}, 'no_identifier', ''],
    [{ phone: '', email: '  ' }, 'no_identifier', ''],
    [{ phone: 56912345678 }, 'malformed_row', 'phone'],
    [{ email: null }, 'no_identifier', ''],
    [{ email: 'ana@example.cl', first_name: ['Ana'] }, 'malformed_row', 'first_name'],
    [{ email: 'ana@example.cl', rut: '12.345.678-5' }, 'malformed_row', 'rut'],
    [{ email: 'ana@example.cl', first_name: 'x'.repeat(201) }, 'malformed_row', 'first_name'],
    [{ email: 'ana@example.cl', external_id: 'a\u0000b' }, 'malformed_row', 'external_id'],
    ['ana@example.cl', 'malformed_row', ''],
    [null, 'malformed_row', ''],
    [[], 'malformed_row', ''],
    [7, 'malformed_row', ''],
  ])(
    '[cust-056] [cust-060] [cust-061] rejects %j as %s with the field %j, and imports the other rows',
    async (row, reason, field) => {
      const results = await importRows({ email: 'before@example.cl' }, row, { email: 'after@example.cl' });
      expect(results.map(({ status }) => status)).toEqual(['created', 'rejected', 'created']);
      const fault = { reason, field, message: expect.stringMatching(/^(must|is|has|Unknown field) /) };
      expect(results[1]).toEqual({ index: 1, status: 'rejected', customer_profile_id: null, ...fault });
      expect(await countOf('customers')).toBe(2);
    },
  );

  test('treats null like a missing field', async () => {
    expect(await importOne({ email: 'nul@example.cl', phone: null, first_name: null })).toMatchObject({
      status: 'created',
    });
  });

  test('drops an invalid identifier next to a valid one, with a warning', async () => {
    expect(await importOne({ phone: '123', email: 'ana@example.cl', national_id: '1-2' })).toEqual({
      index: 0,
      status: 'created',
      customer_profile_id: expect.any(String),
      warnings: ['unparseable_phone', 'unparseable_national_id'],
    });
  });

  test('matches duplicates within a batch', async () => {
    const results = await importRows(
      { email: 'ana@example.cl' },
      { email: 'ana@example.cl', phone: '+56911111111' },
      { phone: '+56911111111' },
    );
    expect(results.map(({ status }) => status)).toEqual(['created', 'matched', 'matched']);
    expect(new Set(results.map(({ customer_profile_id }) => customer_profile_id)).size).toBe(1);
  });

  test('merges two customers into the older one, within a batch or across batches', async () => {
    const older = await idOf({ email: 'ana@example.cl', first_name: 'Ana' });
    const younger = await idOf({ national_id: '12.345.678-5', external_id: 'C-1', last_name: 'Soto' });
    const results = await importRows(
      { phone: '+56911111111' },
      { external_id: 'C-1', email: 'ana@example.cl' },
      { national_id: '12345678-5', phone: '+56911111111' },
    );
    expect(results.map(({ status }) => status)).toEqual(['created', 'matched', 'matched']);
    // Includes the first row, whose customer was merged into an existing one two rows later.
    expect(new Set(results.map(({ customer_profile_id }) => customer_profile_id))).toEqual(new Set([older]));
    expect(await identifiers(older)).toEqual([
      'email ana@example.cl',
      'external_customer_id C-1',
      'national_id 12345678-5',
      'phone +56911111111',
    ]);
    expect(await customer(older)).toMatchObject({ first_name: 'Ana', last_name: 'Soto', merged_into: null });
    expect(await customer(younger)).toMatchObject({ merged_into: older, last_name: 'Soto', terms: [] });
  });

  test('a shared phone never merges customers with different keys, within a batch or across batches', async () => {
    const [mother, son, lead] = ['mother', 'son', undefined].map((external_id) => ({
      phone: '+56944441118',
      ...(external_id && { external_id }),
    }));
    const results = await importRows(mother, son, lead, son);
    expect(results.map(({ status }) => status)).toEqual(['created', 'created', 'matched', 'matched']);
    const [theirs, his] = results.map(({ customer_profile_id }) => customer_profile_id as string);
    expect(results.map(({ customer_profile_id }) => customer_profile_id)).toEqual([theirs, his, theirs, his]);
    expect(await idOf({ ...mother, external_id: 'daughter' })).not.toBe(theirs);
    expect(await identifiers(theirs as string)).toEqual(['external_customer_id mother', 'phone +56944441118']);
    expect(await identifiers(his as string)).toEqual(['external_customer_id son']);
  });

  test('first_seen_at is the time of the earliest message, also after a merge', async () => {
    const since = kit.clock.now();
    const id = await idOf({ email: 'ana@example.cl' });
    kit.clock.advance(1_000);
    await importOne({ national_id: '12.345.678-5' });
    kit.clock.advance(1_000);
    await importOne({ email: 'ana@example.cl', national_id: '12.345.678-5' });
    // An import is no activity, so the third row changes neither time.
    expect(await customer(id)).toMatchObject({ first_seen_at: since, last_seen_at: new Date(since.getTime() + 1_000) });
  });

  test('after two merges in one batch, the survivor holds all identifiers', async () => {
    const oldest = await idOf({ email: 'first@example.cl' });
    await importOne({ email: 'second@example.cl' });
    await importOne({ national_id: '12.345.678-5' });
    await importRows(
      { national_id: '12.345.678-5', email: 'second@example.cl' },
      { national_id: '12.345.678-5', email: 'first@example.cl' },
    );
    expect(await read(sql`SELECT DISTINCT customer_id FROM identifiers`)).toEqual([{ customer_id: oldest }]);
  });

  test('a merge stores what it moved and its source, so that it can be undone', async () => {
    const older = await idOf({ email: 'ana@example.cl' });
    const younger = await idOf({ national_id: '12.345.678-5' });
    const response = await post({ rows: [{ national_id: '12.345.678-5', email: 'ana@example.cl' }] });
    const requestId = String(response.headers['x-request-id']).slice(4);
    expect(await read(sql`SELECT loser_id, survivor_id, source, request_id, said_kinds FROM merges`)).toEqual([
      {
        loser_id: younger,
        survivor_id: older,
        source: 'import',
        request_id: requestId,
        said_kinds: ['email', 'national_id'],
      },
    ]);
    expect(await read(sql`SELECT kind, moved_from FROM identifiers ORDER BY kind`)).toEqual([
      { kind: 'email', moved_from: null },
      { kind: 'national_id', moved_from: younger },
    ]);
  });

  test('never merges two national ids, and records the conflict once', async () => {
    const mother = await idOf({ national_id: '12.345.678-5', email: 'home@example.cl' });
    const child = await idOf({ national_id: '11.111.111-1', email: 'home@example.cl' });
    expect(child).not.toBe(mother);
    expect(await idOf({ national_id: '11.111.111-1', email: 'home@example.cl' })).toBe(child);
    expect(await identifiers(mother)).toEqual(['email home@example.cl', 'national_id 12345678-5']);
    expect(await read(sql`SELECT kind, value, customer_id, source FROM identity_conflicts`)).toEqual([
      { kind: 'email', value: 'home@example.cl', customer_id: child, source: 'import' },
    ]);
  });

  test('each identifier stores the source and time of its first message', async () => {
    const response = await post({ rows: [{ email: 'ana@example.cl' }] });
    kit.clock.advance(1_000);
    await importOne({ email: 'ana@example.cl' });
    const [link] = await read(sql`SELECT source, said_at, request_id FROM identifiers`);
    expect(link).toEqual({
      source: 'import',
      said_at: new Date(kit.clock.now().getTime() - 1_000),
      request_id: String(response.headers['x-request-id']).slice(4),
    });
  });

  test('[cust-051] writes no outcome and no event', async () => {
    await importOne({ email: 'ana@example.cl' });
    for (const table of ['outcomes', 'dirty_conversions', 'outbox']) expect(await countOf(table), table).toBe(0);
  });

  test('[cust-055] [lim-004] accepts 1,000 rows in one request', async () => {
    const rows = Array.from({ length: 1_000 }, (_, index) => ({ email: `user${index % 900}@example.cl` }));
    const response = await post({ rows });
    expect(response.json().data.summary).toEqual({ total: 1_000, created: 900, matched: 100, rejected: 0 });
  });

  test('[cust-053] country may be omitted or CL', async () => {
    for (const country of [undefined, 'CL', 'cl']) {
      const response = await post({ country, rows: [{ phone: '912345678' }] });
      expect(response.statusCode).toBe(200);
    }
    expect(await read(sql`SELECT value FROM identifiers`)).toEqual([{ value: '+56912345678' }]);
  });

  test('search terms follow changes of customers', async () => {
    await importRows(
      { email: 'ana@example.cl', first_name: 'Ana', last_name: 'Soto' },
      { national_id: '12.345.678-5', first_name: 'Anita' },
      { national_id: '12.345.678-5', email: 'ana@example.cl', phone: '+56911111111' },
    );
    const storedTerms = await read(sql`SELECT term, customer_id FROM search_terms ORDER BY term, customer_id`);
    expect(storedTerms).toEqual(
      await read(sql`SELECT unnest(terms) COLLATE "C" AS term, id AS customer_id FROM customers ORDER BY 1, 2`),
    );
    expect(storedTerms.length).toBeGreaterThan(4);
    await read(sql`DELETE FROM customers WHERE merged_into IS NOT NULL`);
    await read(sql`DELETE FROM customers`);
    expect(await countOf('search_terms')).toBe(0);
  });

  test('a repeated Idempotency-Key imports once and records the customers of the response', async () => {
    const headers = { 'idempotency-key': uuid() };
    const first = await post({ rows: [{ email: 'ana@example.cl' }] }, headers);
    const second = await post({ rows: [{ email: 'ana@example.cl' }] }, headers);
    expect(second.body).toBe(first.body);
    expect(first.json().data.results[0].status).toBe('created');
    expect(await read(sql`SELECT customer_id FROM idempotent_answer_people`)).toEqual([
      { customer_id: first.json().data.results[0].customer_profile_id },
    ]);
  });

  test('does not match customers of another profile', async () => {
    const mine = await idOf({ email: 'ana@example.cl' });
    const other = await buildProfile(kit.app);
    const otherKey = await buildApiKey(kit.app, other.id);
    const response = await post({ rows: [{ email: 'ana@example.cl' }] }, { ...otherKey.headers });
    expect(response.json().data.results[0]).toMatchObject({ status: 'created' });
    expect(response.json().data.results[0].customer_profile_id).not.toBe(mine);
  });
});

describe('422', () => {
  test.each([
    ['[cust-054]', 'no rows', {}, 'rows'],
    ['[cust-054]', 'an empty list', { rows: [] }, 'rows'],
    ['[cust-052]', 'rows that are no list', { rows: { email: 'ana@example.cl' } }, 'rows'],
    ['[lim-004]', '1,001 rows', { rows: Array.from({ length: 1_001 }, () => ({})) }, 'rows'],
    ['[cust-053]', 'another country', { country: 'AR', rows: [{}] }, 'country'],
    ['[cust-052]', 'a country that is no text', { country: 56, rows: [{}] }, 'country'],
  ])('%s %s', async (_id, _name, body, field) => {
    const response = await post(body);
    expect(response.json().error).toMatchObject({ code: 'validation_error', status: 422, field });
    expect(await countOf('customers')).toBe(0);
  });
});

describe('refused before the rows are read', () => {
  test('returns 400 for a body that is no object, 401 without a credential, 409 before the profile is enabled', async () => {
    expect((await post([])).json().error.code).toBe('invalid_request');
    expect((await post({ rows: [{}] }, { authorization: '' })).json().error.code).toBe('unauthorized');
    await kit.app
      .forProfile(profileId)
      .transaction((tx) => tx.updateTable('profiles').set({ is_attribution_enabled: false }).execute());
    expect((await post({ rows: [{}] })).json().error.code).toBe('entitlement_required');
  });

  test('[cust-050] returns 403 without attribution:write', async () => {
    const reader = await buildApiKey(kit.app, profileId, { scopes: ['customers:read', 'campaigns:read'] });
    expect((await post({ rows: [{}] }, { ...reader.headers })).json().error).toMatchObject({
      code: 'insufficient_scope',
      status: 403,
      required_scopes: ['attribution:write'],
    });
  });
});
