import { buildApiKey, buildAssistant, buildMember, buildTrackingKey, openTest } from '@tributary/testkit';
import { limits } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { ana, openShop, type Shop } from './erasures.fixture.ts';

const world = await openTest();
const { kit, api } = world;
let shop: Shop;
beforeEach(async () => {
  shop = await openShop(world);
});

describe('returns 202', () => {
  const request = { customer_key: 'key-ana', request_ref: 'ticket-1', reason: 'account_closed' };

  test('[eras-001][eras-016][eras-034] with the receipt', async () => {
    await shop.event('e1', ana);
    const response = await shop.erase(request);
    expect(response.statusCode, response.body).toBe(202);
    expect(response.json()).toEqual({
      data: {
        erasure_id: expect.any(String),
        request_ref: 'ticket-1',
        status: 'queued',
        customer_key: 'key-ana',
        reason: 'account_closed',
        requested_at: kit.clock.now().toISOString(),
        completed_at: null,
      },
      meta: { profile_id: shop.profileId },
    });
  });

  test('[eras-002][eras-003][eras-006][eras-007] with a UUID, the request_ref, the reason and the time', async () => {
    for (const reason of ['data_subject_request', 'account_closed', 'other']) {
      await shop.event(reason, { external_id: reason });
      const { data } = (await shop.erase({ customer_key: reason, request_ref: `for-${reason}`, reason })).json();
      expect(data).toMatchObject({ request_ref: `for-${reason}`, reason });
      expect(data.erasure_id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      expect(data.requested_at).toBe(kit.clock.now().toISOString());
    }
  });

  test('[eras-005][eras-009] with the given key, else the customer’s own key or null, and never our id', async () => {
    const ids = [
      await shop.importRow({ email: ana.email, external_id: 'key-ana' }),
      await shop.importRow({ email: 'eva@example.cl', external_id: 'key-eva' }),
      await shop.importRow({ email: 'lea@example.cl' }),
    ];
    const answers = [
      await shop.erase({ customer_key: 'key-ana' }),
      await shop.erase({ email: 'eva@example.cl' }),
      await shop.erase({ email: 'lea@example.cl' }),
    ];
    expect(answers.map((answer) => answer.json().data.customer_key)).toEqual(['key-ana', 'key-eva', null]);
    for (const [index, { body }] of answers.entries()) expect(body).not.toContain(ids[index]);
  });

  test('[eras-018] for a reference, one selector, a reason and the country of a phone', async () => {
    await shop.importRow({ phone: '+54 11 2345 6789' });
    const body = { request_ref: 'r-1', phone: '11 2345 6789', country: 'AR', reason: 'other' };
    const response = await shop.erase(body);
    expect(response.statusCode, response.body).toBe(202);
    expect(response.json().data).toMatchObject({ request_ref: 'r-1', reason: 'other' });
  });

  test('[eras-011][eras-012] and status done at once when the profile has data in the ledger only', async () => {
    await shop.importRow({ email: ana.email, external_id: 'key-ana' });
    const response = await shop.erase({ customer_key: 'key-ana' });
    expect(response.statusCode, response.body).toBe(202);
    expect(response.json().data.status).toBe('done');
    expect(await shop.journeyByKey('key-ana')).toEqual([404, 'customer_not_found']);
  });

  test('[eras-004][eras-008][eras-013] and status queued when other stores must be cleared, while the key is already unknown', async () => {
    await shop.importRow({ email: 'eva@example.cl' });
    const now = kit.clock.now().toISOString();
    expect((await shop.erase({ email: 'eva@example.cl' })).json().data).toMatchObject({
      status: 'done',
      completed_at: now,
    });
    await shop.importRow({ email: ana.email, external_id: 'key-ana' });
    await buildTrackingKey(kit.app, shop.profileId);
    const response = await shop.erase({ customer_key: 'key-ana' });
    expect(response.statusCode, response.body).toBe(202);
    expect(response.json().data).toMatchObject({ status: 'queued', completed_at: null });
    expect(await shop.journeyByKey('key-ana')).toEqual([404, 'customer_not_found']);
  });

  test('[conv-002] for one of several customers imported in bulk and given link tokens', async () => {
    const rows = [
      { email: ana.email, external_id: 'key-ana' },
      { email: 'eva@example.cl', external_id: 'key-eva' },
    ];
    const { data } = (await shop.call('POST', '/api/v1/customers', { rows })).json();
    expect(data.summary).toMatchObject({ total: 2, created: 2 });
    const mint = async () => {
      const customers = rows.map(({ external_id }) => ({ customer_key: external_id }));
      const { results } = await shop.post('/api/v1/customers/link-tokens', { customers });
      return results.map(({ status }: { status: string }) => status);
    };
    expect(await mint()).toEqual(['minted', 'minted']);
    expect((await shop.erase({ customer_key: 'key-ana' })).statusCode).toBe(202);
    expect(await mint()).toEqual(['not_found', 'minted']);
  });

  test('[eras-017] without an entitlement', async () => {
    const operator = await kit.app.forProfile(shop.profileId);
    await shop.importRow({ email: 'ana.soto@example.cl' });
    await operator.transaction((tx) => sql`UPDATE profiles SET is_attribution_enabled = false`.execute(tx));
    expect((await shop.call('POST', '/api/v1/customers', { rows: [{ email: 'x@example.cl' }] })).statusCode).toBe(409);
    expect((await shop.erase({ email: 'ana.soto@example.cl' })).statusCode).toBe(202);
  });

  test.each<[string, object]>([
    ['[eras-023] email', { email: ' Ana.Soto@Example.CL ' }],
    ['[eras-023] phone', { phone: '+56 9 1234 5678' }],
    ['[eras-023] phone without its country code', { phone: '9 1234 5678' }],
    ['[eras-024] external_customer_id', { identifier_type: 'external_customer_id', identifier_value: 'key-ana' }],
    ['[eras-024] crm_contact_id', { identifier_type: 'crm_contact_id', identifier_value: 'crm-ana' }],
    ['[eras-024] store_customer_id', { identifier_type: 'store_customer_id', identifier_value: 'store-ana' }],
    ['[eras-024] payments_customer_id', { identifier_type: 'payments_customer_id', identifier_value: 'pay-ana' }],
    ['[eras-024] national_id', { identifier_type: 'national_id', identifier_value: '12.345.678-5' }],
  ])('for a customer selected by %s, with the customer’s key on the receipt', async (_, selector) => {
    await shop.event('e1', ana);
    const response = await shop.erase(selector);
    expect(response.statusCode, response.body).toBe(202);
    expect(response.json().data).toMatchObject({ customer_key: 'key-ana', reason: 'data_subject_request' });
  });

  test('[eras-023] for a national phone number with its `country`', async () => {
    await shop.importRow({ phone: '+54 11 2345 6789' });
    expect((await shop.erase({ phone: '11 2345 6789', country: 'AR' })).statusCode).toBe(202);
  });

  test('[eras-020][eras-021][eras-025][lim-017] with a request_ref per profile; the reason defaults to data_subject_request', async () => {
    const other = await openShop(world);
    const request_ref = 'Aa0._:-'.padEnd(limits.requestRef.maxCharacters, 'x');
    for (const one of [shop, other]) {
      await one.importRow({ email: 'ana.soto@example.cl' });
      const response = await one.erase({ email: 'ana.soto@example.cl', request_ref });
      expect(response.statusCode, response.body).toBe(202);
      expect(response.json().data).toMatchObject({ request_ref, reason: 'data_subject_request' });
    }
  });
});

describe('returns 200', () => {
  test('[eras-035] with the original receipt for a repeated request_ref, and erases nothing more', async () => {
    await shop.event('e1', ana);
    const first = (await shop.erase({ email: ana.email, request_ref: 'r1' })).json().data;
    kit.clock.advance(60_000);
    // Another customer has the address now.
    const stranger = await shop.importRow({ email: ana.email, first_name: 'Another' });
    const response = await shop.erase({ email: ana.email, request_ref: 'r1', reason: 'other' });
    expect(response.statusCode).toBe(200);
    expect(response.json().data).toEqual(first);
    expect(await shop.mint({ customer_profile_id: stranger })).toMatchObject({ status: 'minted' });
  });

  test('for all but one of several concurrent requests, which erase once', async () => {
    await shop.event('e1', ana);
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => shop.erase({ customer_key: 'key-ana', request_ref: 'r1' })),
    );
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 200, 200, 202]);
    expect(new Set(answers.map((one) => one.json().data.erasure_id)).size).toBe(1);
  });
});

describe('returns 400 with the field', () => {
  test.each<[string, string, object]>([
    ['[eras-019][eras-037] request_ref missing', 'request_ref', { request_ref: undefined, email: ana.email }],
    ['[eras-037] request_ref empty', 'request_ref', { request_ref: '', email: ana.email }],
    ['[eras-037] request_ref with an address in it', 'request_ref', { request_ref: ana.email, email: ana.email }],
    ['[eras-037] request_ref too long', 'request_ref', { request_ref: 'x'.repeat(201), email: ana.email }],
    ['[eras-026][eras-039][eras-044] no selector', 'customer_key', {}],
    ['[eras-026][eras-040] two selectors', 'phone', { email: ana.email, phone: ana.phone }],
    [
      '[eras-040] a selector and an identifier',
      'identifier_value',
      { email: ana.email, identifier_type: 'national_id', identifier_value: '12345678-5' },
    ],
    ['[eras-041] unknown identifier_type', 'identifier_type', { identifier_type: 'wa_id', identifier_value: 'x' }],
    ['[eras-041] identifier_type missing', 'identifier_type', { identifier_value: 'x' }],
    ['[eras-042] identifier_value missing', 'identifier_value', { identifier_type: 'national_id' }],
    ['[eras-042] unparseable email', 'email', { email: 'ana@' }],
    ['[eras-042] unparseable phone', 'phone', { phone: '12' }],
    [
      '[eras-042] unparseable RUT',
      'identifier_value',
      { identifier_type: 'national_id', identifier_value: '12.345.678-4' },
    ],
    ['[eras-042] empty key', 'customer_key', { customer_key: ' ' }],
    ['[eras-043] unknown reason', 'reason', { email: ana.email, reason: 'because' }],
    ['unknown country', 'country', { phone: '912345678', country: 'ZZ' }],
  ])('%s', async (_, field, body) => {
    await shop.event('e1', ana);
    const response = await shop.erase(body);
    expect(response.statusCode, response.body).toBe(400);
    expect(response.json().error).toMatchObject({ code: 'invalid_parameter', field });
    expect(response.json().error.message).toContain(`"${field}"`);
    expect(await shop.rows(sql`SELECT FROM erasures`)).toEqual([]);
  });

  test('[eras-038] when the request_ref was used for another customer', async () => {
    await shop.event('e1', ana);
    await shop.event('e2', { email: 'eva@example.cl' });
    await shop.erase({ email: ana.email, request_ref: 'r1' });
    const response = await shop.erase({ email: 'eva@example.cl', request_ref: 'r1' });
    expect(response.json().error).toMatchObject({ status: 400, code: 'invalid_parameter', field: 'request_ref' });
    expect(await shop.mint({ email: 'eva@example.cl' })).toMatchObject({ status: 'minted' });
  });

  test('[eras-045] and invalid_request when the body is not an object', async () => {
    for (const payload of ['[]', '"x"', '7', 'null', '{']) {
      const response = await api.fastify.inject({
        method: 'POST',
        url: '/api/v1/customers/erasures',
        headers: { ...shop.key.headers, 'content-type': 'application/json' },
        payload,
      });
      expect(response.json().error, payload).toMatchObject({ status: 400, code: 'invalid_request' });
    }
  });
});

describe('returns 403 or 404', () => {
  test('[eras-046][eras-047][auth-032][err-039] for anything but an API key with the right scope', async () => {
    const owner = await buildMember(kit.app, shop.workspaceId, 'owner');
    const assistant = await buildAssistant(kit.app, owner, shop.profileId);
    const app = await api.registerApp();
    for (const headers of [owner.headers({ profileId: shop.profileId }), assistant.headers, await app.token()]) {
      const response = await api.fastify.inject({
        method: 'POST',
        url: '/api/v1/customers/erasures',
        headers: { ...headers },
        payload: { request_ref: 'r1', email: ana.email },
      });
      expect(response.json().error).toMatchObject({ status: 403, code: 'api_key_required' });
    }
    const reader = await buildApiKey(kit.app, shop.profileId, { scopes: ['conversions:read'] });
    expect((await shop.erase({ email: ana.email }, { ...reader.headers })).json().error.code).toBe(
      'insufficient_scope',
    );
  });

  test('[eras-048][eras-049][err-040] for an unknown customer and one of another profile alike', async () => {
    const other = await openShop(world);
    await other.event('e1', ana);
    const answers = await Promise.all([
      shop.erase({ customer_key: 'key-ana' }),
      shop.erase({ customer_key: 'never-was' }),
      shop.erase({ email: ana.email }),
    ]);
    for (const response of answers) {
      const { status, code, message } = response.json().error;
      expect([status, code, message]).toEqual([404, 'customer_not_found', answers[0]?.json().error.message]);
    }
    expect(await other.mint({ customer_key: 'key-ana' })).toMatchObject({ status: 'minted' });
    expect(await shop.rows(sql`SELECT FROM erasures`)).toEqual([]);
  });

  test('for the email or phone of an erased customer', async () => {
    await shop.event('e1', ana);
    await shop.erase({ customer_key: 'key-ana' });
    for (const selector of [{ email: ana.email }, { phone: ana.phone }])
      expect((await shop.erase(selector)).json().error.code).toBe('customer_not_found');
  });
});
