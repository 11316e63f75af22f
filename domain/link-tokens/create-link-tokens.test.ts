import { linkTokenParameter, type Scope } from '@tributary/contract';
import { type BuiltKey, buildApiKey, buildProfile, openApi, openTest, testVault } from '@tributary/testkit';
import { sql } from 'kysely';
import { v4 as uuid } from 'uuid';
import { beforeEach, describe, expect, test } from 'vitest';
import { openLinkToken } from './index.ts';

const { kit, api } = await openTest();
let profileId: string;
let key: BuiltKey;
beforeEach(async () => {
  ({ id: profileId } = await buildProfile(kit.app));
  key = await newKey('attribution:write', 'customers:read');
});

const newKey = (...scopes: Scope[]) => buildApiKey(kit.app, profileId, { scopes });
const post = (url: string, body: unknown, { headers } = key) =>
  api.fastify.inject({ method: 'POST', url, headers: { ...headers }, payload: body as object });
const ask = (body: unknown, by = key) => post('/api/v1/customers/link-tokens', body, by);
interface Row {
  readonly index: number;
  readonly status: string;
  readonly customer_key: string | null;
  readonly customer_profile_id?: string;
  readonly token?: string;
  readonly expires_at?: string;
  readonly reason?: string;
  readonly message?: string;
}
const mint = async (...customers: unknown[]): Promise<Row[]> => {
  const response = await ask({ customers });
  expect(response.statusCode, response.body).toBe(200);
  return response.json().data.results;
};
const mintOne = async (customer: unknown): Promise<Row> => (await mint(customer))[0] as Row;
const importRow = async (row: object): Promise<string> =>
  (await post('/api/v1/customers', { rows: [row] })).json().data.results[0].customer_profile_id;
const sendEvent = (name: string, traits: object) =>
  post('/api/v1/events', { event_name: 'lead_created', idempotency_key: name, user_traits: traits });
const opened = (token: string | undefined, at = kit.clock.now()) =>
  openLinkToken(testVault.derive('link_token'), profileId, token ?? '', at);
const countCustomers = () =>
  kit.app
    .forProfile(profileId)
    .transaction(async (tx) =>
      Number((await sql<{ n: string }>`SELECT count(*) AS n FROM customers`.execute(tx)).rows[0]?.n),
    );

describe('200', () => {
  test('[link-001][link-002][link-003][link-009][link-010][link-013][link-028][link-029][link-030] one token for each customer named', async () => {
    const [ana, eva] = [await importRow({ email: 'ana@example.cl' }), await importRow({ email: 'eva@example.cl' })];
    const response = await ask({ customers: [{ email: 'eva@example.cl' }, {}, { customer_profile_id: ana }] });
    expect(response.statusCode).toBe(200);
    const { data, meta } = response.json();
    expect(meta).toEqual({ profile_id: profileId });
    expect(data).toMatchObject({ param: 'svc_t', minted: 2, not_found: 0, invalid: 1 });
    expect(data.results).toEqual([
      {
        index: 0,
        status: 'minted',
        customer_key: null,
        customer_profile_id: eva,
        token: expect.stringMatching(/^[\w-]{72}$/),
        expires_at: '2026-09-13T12:00:00.000Z',
      },
      { index: 1, status: 'invalid', customer_key: null, reason: 'no_selector', message: expect.stringMatching(/\.$/) },
      expect.objectContaining({ index: 2, status: 'minted', customer_profile_id: ana }),
    ]);
    expect(opened(data.results[0].token)?.customerId).toBe(eva);
    expect(opened(data.results[2].token)?.customerId).toBe(ana);
  });

  test('[link-007][link-008][ver-018] only a key that may see customers is told their id', async () => {
    await importRow({ email: 'ana@example.cl' });
    const writer = await newKey('attribution:write');
    const [row] = (await ask({ customers: [{ email: 'ana@example.cl' }] }, writer)).json().data.results;
    expect(row).toMatchObject({ status: 'minted' });
    expect(row).not.toHaveProperty('customer_profile_id');
    expect(await mintOne({ email: 'ana@example.cl' })).toHaveProperty('customer_profile_id');
  });

  test('[link-017][link-018][lim-006] a token lives 90 days, or as long as is asked for', async () => {
    await importRow({ email: 'ana@example.cl' });
    const days = async (expires_in_days?: number) => {
      const response = await ask({
        customers: [{ email: 'ana@example.cl' }],
        ...(expires_in_days && { expires_in_days }),
      });
      const [row] = response.json().data.results as Row[];
      expect(opened(row?.token)?.expiresAt.toISOString()).toBe(row?.expires_at);
      return (Date.parse(row?.expires_at ?? '') - kit.clock.now().getTime()) / 86_400_000;
    };
    expect([await days(), await days(1), await days(365)]).toEqual([90, 1, 365]);
  });

  test('[link-016][lim-005] takes 500 rows', async () => {
    await importRow({ email: 'ana@example.cl' });
    const rows = await mint(...Array.from({ length: 500 }, () => ({ email: 'ana@example.cl' })));
    expect(rows.map(({ index }) => index)).toEqual(Array.from({ length: 500 }, (_, index) => index));
    expect(new Set(rows.map(({ token }) => token)).size).toBe(500);
  });

  test('[link-042] a token holds no personal data, not even decoded', async () => {
    const person = {
      email: 'ana.soto@example.cl',
      phone: '+56912345678',
      national_id: '12345678-5',
      external_id: 'key-8812',
    };
    const id = await importRow({ ...person, first_name: 'Ana', last_name: 'Soto' });
    const { token = '' } = await mintOne({ email: person.email });
    const decoded = Buffer.from(token, 'base64url');
    for (const part of [...Object.values(person), 'Ana', 'Soto', id, profileId]) {
      expect(token).not.toContain(part);
      expect(decoded.includes(part)).toBe(false);
    }
    for (const bytes of [id, profileId].map((one) => Buffer.from(one.replaceAll('-', ''), 'hex')))
      expect(decoded.includes(bytes)).toBe(false);
  });
});

describe('a row names a customer', () => {
  test('[link-004][link-021][link-022][link-023][link-024][link-025][link-026] by any of its selectors', async () => {
    const traits = {
      external_id: 'key-1',
      crm_contact_id: 'crm-1',
      store_customer_id: 'store-1',
      payments_customer_id: 'pay-1',
      national_id: '12.345.678-5',
      email: 'ana@example.cl',
      phone: '+56 9 1234 5678',
    };
    await sendEvent('e1', traits);
    const rows = await mint(
      { customer_key: 'key-1' },
      { email: ' ANA@Example.CL' },
      { phone: '9 1234 5678' },
      { identifier_type: 'external_customer_id', identifier_value: 'key-1' },
      { identifier_type: 'crm_contact_id', identifier_value: 'crm-1' },
      { identifier_type: 'store_customer_id', identifier_value: 'store-1' },
      { identifier_type: 'payments_customer_id', identifier_value: 'pay-1' },
      { identifier_type: 'national_id', identifier_value: '12345678-5' },
      { identifier_type: 'national_id', identifier_value: '12 345 678 5' },
    );
    const id = rows[0]?.customer_profile_id;
    expect(rows.map(({ status, customer_key }) => [status, customer_key])).toEqual(rows.map(() => ['minted', 'key-1']));
    expect(new Set(rows.map(({ customer_profile_id }) => customer_profile_id))).toEqual(new Set([id]));
    expect(await mintOne({ customer_profile_id: id?.toUpperCase() })).toMatchObject({ customer_profile_id: id });
  });

  test('[link-019] and `country` says where a phone without its code belongs', async () => {
    await importRow({ phone: '+54 11 2345 6789' });
    const customers = [{ phone: '11 2345 6789' }];
    const statusIn = async (country: string) => (await ask({ customers, country })).json().data.results[0].status;
    expect(await statusIn('AR')).toBe('minted');
    expect(await statusIn('CL')).not.toBe('minted');
  });

  test('[link-020] by the first selector in the order of the list', async () => {
    const names = ['id', 'key', 'email', 'phone', 'identifier'];
    const people = [];
    for (const name of names) {
      await sendEvent(name, { external_id: `key-${name}`, email: `${name}@example.cl`, crm_contact_id: `crm-${name}` });
      people.push(await mintOne({ customer_key: `key-${name}` }));
    }
    await sendEvent('phone', { external_id: 'key-phone', phone: '+56 9 1234 5678' });
    const row = {
      customer_profile_id: people[0]?.customer_profile_id,
      customer_key: 'key-key',
      email: 'email@example.cl',
      phone: '+56 9 1234 5678',
      identifier_type: 'crm_contact_id',
      identifier_value: 'crm-identifier',
    };
    const shorter = Object.keys(row)
      .slice(0, 5)
      .map((_, from) => Object.fromEntries(Object.entries(row).slice(from)));
    const chosen = (await mint(...shorter)).map(({ customer_key }) => customer_key);
    expect(chosen).toEqual(names.map((name) => `key-${name}`));
  });

  test('[link-005] after a merge, by either name the one who survived, with that one’s key', async () => {
    await sendEvent('e1', { external_id: 'elder', email: 'elder@example.cl' });
    const elder = await mintOne({ customer_key: 'elder' });
    kit.clock.advance(1_000);
    await sendEvent('e2', { external_id: 'younger', phone: '+56 9 1234 5678' });
    const younger = await mintOne({ customer_key: 'younger' });
    expect(younger.customer_profile_id).not.toBe(elder.customer_profile_id);
    await sendEvent('e3', { external_id: 'younger', email: 'elder@example.cl' });
    const rows = await mint({ customer_key: 'younger' }, { customer_profile_id: younger.customer_profile_id });
    for (const row of rows)
      expect(row).toMatchObject({ customer_key: 'elder', customer_profile_id: elder.customer_profile_id });
    expect(opened(rows[1]?.token)?.customerId).toBe(elder.customer_profile_id);
  });
});

describe('a row that does not mint has a result of its own', () => {
  test('[link-011][link-012][link-032][link-033][link-034][link-047][link-056] not_found: nobody carries the selector, and nobody is created', async () => {
    const before = await countCustomers();
    const rows = await mint(
      { customer_profile_id: uuid() },
      { customer_key: 'nobody' },
      { email: 'nobody@example.cl' },
      { phone: '+56 9 8765 4321' },
      { identifier_type: 'national_id', identifier_value: '11.111.111-1' },
    );
    for (const row of rows) {
      expect(row).toMatchObject({ status: 'not_found', reason: 'no_match', message: expect.stringMatching(/^Nobody/) });
      expect(row).not.toHaveProperty('token');
      expect(row).not.toHaveProperty('expires_at');
      expect(row).not.toHaveProperty('customer_profile_id');
    }
    expect(await countCustomers()).toBe(before);
  });

  test('[link-006] with the key that was sent, or null', async () => {
    const rows = await mint(
      { customer_key: 'nobody' },
      { customer_profile_id: 'no-uuid', customer_key: 'key-2' },
      { identifier_type: 'external_customer_id', identifier_value: 'key-3' },
      { email: 'nobody@example.cl' },
      {},
    );
    expect(rows.map(({ customer_key }) => customer_key)).toEqual(['nobody', 'key-2', 'key-3', null, null]);
  });

  test('another profile’s customer answers as nobody', async () => {
    const stranger = await importRow({ email: 'ana@example.cl' });
    ({ id: profileId } = await buildProfile(kit.app));
    key = await newKey('attribution:write', 'customers:read');
    for (const row of await mint({ customer_profile_id: stranger }, { email: 'ana@example.cl' }))
      expect(row).toMatchObject({ status: 'not_found', reason: 'no_match' });
  });

  test('[link-038] invalid / no_selector', async () => {
    for (const row of await mint({}, { email: null }, 'ana@example.cl', null, 7, { name: 'Ana' }))
      expect(row).toMatchObject({ status: 'invalid', reason: 'no_selector' });
  });

  test('[link-039] invalid / unknown_identifier_type', async () => {
    for (const identifier_type of ['email', 'wa_id', 'External_Customer_Id', '', 7])
      expect(await mintOne({ identifier_type, identifier_value: 'x' })).toMatchObject({
        status: 'invalid',
        reason: 'unknown_identifier_type',
      });
    expect(await mintOne({ identifier_value: 'x' })).toMatchObject({ reason: 'unknown_identifier_type' });
  });

  test('[link-027][link-040][link-041] invalid / malformed_selector, whatever else the row names', async () => {
    await importRow({ email: 'ana@example.cl', external_id: 'key-1' });
    const good = { email: 'ana@example.cl', identifier_type: 'external_customer_id', identifier_value: 'key-1' };
    const rows = await mint(
      { ...good, customer_profile_id: 'no-uuid' },
      { ...good, customer_profile_id: 12 },
      { ...good, customer_key: '' },
      { ...good, customer_key: 'a\u0000b' },
      { ...good, email: 'ana@' },
      { ...good, email: ['ana@example.cl'] },
      { phone: '12', identifier_type: 'external_customer_id', identifier_value: 'key-1' },
      { identifier_type: 'national_id', identifier_value: '12.345.678-4' },
      { identifier_type: 'external_customer_id' },
    );
    for (const row of rows) expect(row).toMatchObject({ status: 'invalid', reason: 'malformed_selector' });
  });
});

describe('recipes', () => {
  test('[link-031][link-050] say where the token is kept and how the link is written', async () => {
    await importRow({ email: 'ana@example.cl' });
    const { recipes } = (await ask({ customers: [{ email: 'ana@example.cl' }] })).json().data;
    expect(recipes.map(({ channel }: { channel: string }) => channel)).toEqual(['email', 'sms', 'whatsapp', 'crm']);
    for (const recipe of recipes) {
      expect(Object.keys(recipe).sort()).toEqual([
        'channel',
        'link_template',
        'merge_tag',
        'requires',
        'store_token_in',
      ]);
      expect(recipe.requires).toMatch(/tracker/);
      const [address, ...rest] = recipe.link_template.split(`${linkTokenParameter}=`);
      expect(rest).toEqual([recipe.merge_tag]);
      // After "?" where the link has no query yet, else after "&".
      expect(address.at(-1)).toBe(address.slice(0, -1).includes('?') ? '&' : '?');
      const link = new URL(recipe.link_template.replace(recipe.merge_tag, 'THE-TOKEN'));
      expect(link.searchParams.get(linkTokenParameter)).toBe('THE-TOKEN');
    }
    expect(recipes.some(({ link_template }: { link_template: string }) => link_template.includes('&svc_t='))).toBe(
      true,
    );
    expect(recipes.some(({ link_template }: { link_template: string }) => link_template.includes('?svc_t='))).toBe(
      true,
    );
  });
});

describe('refusals', () => {
  test('[link-014][link-015] 422 names the field', async () => {
    const customers = [{ email: 'ana@example.cl' }];
    const wrong: [string, unknown][] = [
      ['customers', {}],
      ['customers', { customers: 'ana' }],
      ['customers', { customers: [] }],
      ['customers', { customers: Array.from({ length: 501 }, () => ({})) }],
      ['expires_in_days', { customers, expires_in_days: 0 }],
      ['expires_in_days', { customers, expires_in_days: 366 }],
      ['expires_in_days', { customers, expires_in_days: 1.5 }],
      ['expires_in_days', { customers, expires_in_days: '90' }],
      ['country', { customers, country: 'Chile' }],
      ['country', { customers, country: 'ZZ' }],
    ];
    for (const [field, body] of wrong) {
      const response = await ask(body);
      expect(response.statusCode, JSON.stringify(body).slice(0, 80)).toBe(422);
      expect(response.json().error).toMatchObject({ code: 'validation_error', field });
    }
  });

  test('403 without attribution:write', async () => {
    const reader = await newKey('customers:read');
    expect((await ask({ customers: [{ email: 'ana@example.cl' }] }, reader)).json().error.code).toBe(
      'insufficient_scope',
    );
  });

  test('[link-049][err-044] 503 link_tokens_disabled where there is no secret, and it is not to be tried again', async () => {
    const without = await openApi(kit, { linkTokenKeys: () => [] });
    try {
      const response = await without.fastify.inject({
        method: 'POST',
        url: '/api/v1/customers/link-tokens',
        headers: { ...key.headers },
        payload: { customers: [{ email: 'ana@example.cl' }] },
      });
      expect(response.statusCode).toBe(503);
      expect(response.json().error.code).toBe('link_tokens_disabled');
      expect(response.headers).not.toHaveProperty('retry-after');
    } finally {
      await without.close();
    }
  });
});
