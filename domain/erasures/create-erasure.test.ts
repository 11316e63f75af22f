import {
  buildApiKey,
  buildAssistant,
  buildMember,
  buildTrackingKey,
  openApi,
  openTestkit,
  type TestApi,
  type Testkit,
} from '@tributary/testkit';
import { limits } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openPlace, type Place } from './erasures.fixture.ts';

let kit: Testkit;
let api: TestApi;
let place: Place;
beforeAll(async () => {
  kit = await openTestkit();
  api = await openApi(kit);
});
beforeEach(async () => {
  place = await openPlace(kit, api);
});
afterAll(async () => {
  await api.close();
  await kit.close();
});

const ana = {
  external_id: 'key-ana',
  email: 'ana.soto@example.cl',
  phone: '+56912345678',
  national_id: '12345678-5',
  crm_contact_id: 'crm-ana',
  store_customer_id: 'store-ana',
  payments_customer_id: 'pay-ana',
  first_name: 'Anastasia',
  last_name: 'Sotomayor',
};

describe('202', () => {
  test('[eras-001][eras-002][eras-003][eras-005][eras-006][eras-007][eras-009][eras-013][eras-016][eras-018][eras-034][conv-002] answers with the receipt', async () => {
    await place.event('e1', ana);
    const response = await place.erase({ customer_key: 'key-ana', request_ref: 'ticket-1', reason: 'account_closed' });
    expect(response.statusCode, response.body).toBe(202);
    expect(response.json()).toEqual({
      data: {
        erasure_id: expect.stringMatching(/^[0-9a-f]{8}-/),
        request_ref: 'ticket-1',
        status: 'queued',
        customer_key: 'key-ana',
        reason: 'account_closed',
        requested_at: kit.clock.now().toISOString(),
        completed_at: null,
      },
      meta: { profile_id: place.profileId },
    });
  });

  test('[eras-004][eras-008][eras-011][eras-012] is done at once where nothing was ever anywhere but in the ledger', async () => {
    await place.importRow({ email: 'ana.soto@example.cl' });
    const { data } = (await place.erase({ email: 'ana.soto@example.cl' })).json();
    expect(data).toMatchObject({ status: 'done', completed_at: kit.clock.now().toISOString(), customer_key: null });
    await place.importRow({ email: 'eva@example.cl' });
    await buildTrackingKey(kit.app, place.profileId);
    expect((await place.erase({ email: 'eva@example.cl' })).json().data).toMatchObject({
      status: 'queued',
      completed_at: null,
    });
  });

  test('[eras-017] needs no entitlement', async () => {
    const operator = await kit.app.forProfile(place.profileId);
    await place.importRow({ email: 'ana.soto@example.cl' });
    await operator.transaction((tx) => sql`UPDATE profiles SET is_attribution_enabled = false`.execute(tx));
    expect((await place.ask('POST', '/api/v1/customers', { rows: [{ email: 'x@example.cl' }] })).statusCode).toBe(409);
    expect((await place.erase({ email: 'ana.soto@example.cl' })).statusCode).toBe(202);
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
  ])('%s names the customer, and the receipt says the customer’s key', async (_, selector) => {
    await place.event('e1', ana);
    const response = await place.erase(selector);
    expect(response.statusCode, response.body).toBe(202);
    expect(response.json().data).toMatchObject({ customer_key: 'key-ana', reason: 'data_subject_request' });
  });

  test('[eras-023] `country` says where a phone without its code belongs', async () => {
    await place.importRow({ phone: '+54 11 2345 6789' });
    expect((await place.erase({ phone: '11 2345 6789', country: 'AR' })).statusCode).toBe(202);
  });

  test('[eras-020][eras-021][eras-025][lim-017] a request_ref is the profile’s own; a reason is a data subject’s request unless said', async () => {
    const other = await openPlace(kit, api);
    const request_ref = 'Aa0._:-'.padEnd(limits.requestRef.maxCharacters, 'x');
    for (const one of [place, other]) {
      await one.importRow({ email: 'ana.soto@example.cl' });
      const response = await one.erase({ email: 'ana.soto@example.cl', request_ref });
      expect(response.statusCode, response.body).toBe(202);
      expect(response.json().data).toMatchObject({ request_ref, reason: 'data_subject_request' });
    }
  });
});

describe('what is gone, and what stays', () => {
  test('[eras-027][eras-028][inge-038] name, address, phone, every identifier and the personal fields of raw events', async () => {
    await place.event('e1', ana, {
      occurred_at: '2026-06-01T00:00:00Z',
      properties: { value: '100', currency: 'USD', subject_ref: 'patient-7', note: 'Called by Anastasia' },
      click_ids: { gclid: 'click-of-ana' },
      page_url: 'https://shop.example/thanks/ana',
      action_source: 'website',
      ad_id: '120200000000000009',
    });
    const before = await place.everything();
    const words = [...Object.values(ana), 'anastasia', 'sotomayor', 'patient-7', 'click-of-ana', 'thanks/ana'];
    for (const word of words) expect(before, word).toContain(word);
    const [customer] = await place.rows<{ id: string }>(sql`SELECT id FROM customers`);

    await place.erase({ customer_key: 'key-ana' });
    const after = await place.everything();
    for (const word of [...words, customer?.id as string]) {
      // In the queue of what is still to be cleared elsewhere the id waits until that is done.
      const waits = word === customer?.id;
      expect(after.split('\n').filter((text) => text.includes(word)).length, word).toBe(waits ? 1 : 0);
    }
    expect(
      await place.rows(sql`SELECT amount, currency, event_name, rest, subject_ref IS NULL AS untagged FROM outcomes`),
    ).toEqual([
      {
        amount: '100',
        currency: 'USD',
        event_name: 'lead_created',
        rest: { action_source: 'website', ad_id: '120200000000000009' },
        untagged: false,
      },
    ]);
    expect((await place.ask('GET', '/api/v1/customers/search?q=anastasia')).json().data).toEqual([]);
  });

  test('[eras-010][eras-036] after a merge every key is recorded as erased, and each answers with the first receipt', async () => {
    await place.event('e1', { external_id: 'elder', email: 'ana.soto@example.cl' });
    await place.event('e2', { external_id: 'younger', phone: '+56912345678' });
    await place.event('e3', { external_id: 'younger', email: 'ana.soto@example.cl' });
    const first = (await place.erase({ customer_key: 'younger' })).json().data;
    expect(first.customer_key).toBe('younger');
    for (const customer_key of ['elder', 'younger']) {
      const response = await place.erase({ customer_key });
      expect(response.statusCode).toBe(200);
      expect(response.json().data).toEqual(first);
      expect(await place.mint({ customer_key })).toMatchObject({ status: 'not_found', reason: 'erased' });
    }
    // But for the shell that outcomes went to, nobody is left.
    expect(await place.rows(sql`SELECT count(*)::int AS n FROM customers WHERE erased_at IS NULL`)).toEqual([{ n: 0 }]);
  });

  test('which payments are first ones does not change, though nobody knows any more who they were for', async () => {
    const pay = (name: string, day: number, subject_ref?: string) =>
      place.event(name, ana, {
        event_name: 'payment_received',
        occurred_at: `2026-05-${String(day).padStart(2, '0')}T00:00:00Z`,
        properties: { value: '10', currency: 'USD', ...(subject_ref && { subject_ref }) },
      });
    await pay('p1', 1, 'kid-a');
    await pay('p2', 2, 'kid-b');
    await pay('p3', 20, 'kid-a');
    const standings = () =>
      place.rows(sql`SELECT idempotency_key, is_first_payment, purchase_id FROM outcomes ORDER BY idempotency_key`);
    const before = await standings();
    expect(before.filter((row) => (row as { is_first_payment: boolean }).is_first_payment)).toHaveLength(2);
    await place.erase({ customer_key: 'key-ana' });
    expect(await standings()).toEqual(before);
    // Derived again from scratch, too.
    const [shell] = await place.rows<{ id: string }>(sql`SELECT id FROM customers`);
    await place.rows(
      sql`INSERT INTO dirty_customers (profile_id, customer_id) VALUES (${place.profileId}, ${shell?.id})`,
    );
    const { settleCustomers } = await import('@tributary/domain/payments');
    await settleCustomers(kit.app, kit.system, AbortSignal.timeout(10_000));
    expect(await standings()).toEqual(before);
  });

  test('[link-035][link-036][link-037][eras-032] minting by our id or by the key says erased; by address or phone, nobody', async () => {
    const id = await place.importRow({ email: ana.email, phone: ana.phone, external_id: 'key-ana' });
    await place.erase({ customer_key: 'key-ana' });
    const row = async (selector: object) => {
      const { status, reason } = await place.mint(selector);
      return [status, reason];
    };
    expect(await row({ customer_profile_id: id })).toEqual(['not_found', 'erased']);
    expect(await row({ customer_key: 'key-ana' })).toEqual(['not_found', 'erased']);
    expect(await row({ identifier_type: 'external_customer_id', identifier_value: 'key-ana' })).toEqual([
      'not_found',
      'erased',
    ]);
    expect(await row({ email: ana.email })).toEqual(['not_found', 'no_match']);
    expect(await row({ phone: ana.phone })).toEqual(['not_found', 'no_match']);
  });

  test('the customer without a person gets no token, so that no browser becomes theirs', async () => {
    await place.event('e1', ana);
    await place.erase({ customer_key: 'key-ana' });
    const [shell] = await place.rows<{ id: string }>(sql`SELECT id FROM customers`);
    expect(await place.mint({ customer_profile_id: shell?.id })).toMatchObject({
      status: 'not_found',
      reason: 'erased',
    });
  });

  test('an answer kept under an Idempotency-Key is given again, without the person', async () => {
    const rows = [{ email: ana.email, external_id: 'key-ana' }, { email: 'eva@example.cl' }];
    const again = () => place.ask('POST', '/api/v1/customers', { rows }, { 'idempotency-key': 'import-1' });
    const before = (await again()).json().data.results;
    await place.erase({ email: ana.email });
    const response = await again();
    expect(response.headers['idempotent-replayed']).toBe('true');
    expect(response.json().data.results).toEqual([{ ...before[0], customer_profile_id: null }, before[1]]);
    expect(await place.rows(sql`SELECT value FROM identifiers`)).toEqual([{ value: 'eva@example.cl' }]);
  });

  test('a PII access log entry and an audit entry tell of it, and of nobody', async () => {
    await place.event('e1', ana);
    const { erasure_id } = (await place.erase({ customer_key: 'key-ana' })).json().data;
    const owner = kit.app.forWorkspace(place.workspaceId);
    const [audit] = (await owner.transaction((tx) => sql`SELECT action, target, detail FROM audit_log`.execute(tx)))
      .rows;
    expect(audit).toEqual({
      action: 'customer.erased',
      target: `erasure:${erasure_id}`,
      detail: { profile_id: place.profileId, reason: 'data_subject_request' },
    });
    const log = (await owner.transaction((tx) => sql`SELECT operation, people FROM pii_access_log`.execute(tx))).rows;
    expect(log).toEqual([{ operation: 'createErasure', people: 1 }]);
  });
});

describe('said again', () => {
  const customers = () =>
    place.rows<{ kind: string; value: string }>(sql`SELECT kind, value FROM identifiers ORDER BY kind, value`);
  beforeEach(async () => {
    await place.event('e1', ana, { occurred_at: '2026-06-01T00:00:00Z', properties: { note: 'secret' } });
    await place.erase({ customer_key: 'key-ana' });
    kit.clock.advance(60_000);
  });

  test('an event dated before the erasure is recorded, of nobody and without what it says of a person', async () => {
    const response = await place.event(
      'late',
      { email: ana.email, phone: '+56987654321' },
      {
        occurred_at: '2026-06-02T00:00:00Z',
        properties: { value: '5', currency: 'USD', note: 'secret' },
      },
    );
    expect(response.json().data).toMatchObject({ status: 'recorded', customer_key: null });
    expect(await customers()).toEqual([]);
    expect(
      await place.rows(sql`SELECT customer_id, amount, rest FROM outcomes WHERE idempotency_key = 'late'`),
    ).toEqual([{ customer_id: null, amount: '5', rest: {} }]);
  });

  test('an event dated after it makes a new customer; the erased key never binds again', async () => {
    const response = await place.event('new', ana, { occurred_at: kit.clock.now().toISOString() });
    expect(response.json().data).toMatchObject({ status: 'recorded', customer_key: null });
    expect((await customers()).map(({ kind }) => kind)).not.toContain('external_customer_id');
    expect((await customers()).map(({ value }) => value)).toContain(ana.email);
    const [, stranger] = await place.rows<{ customer_id: string }>(
      sql`SELECT customer_id FROM outcomes ORDER BY recorded_at`,
    );
    const [shell] = await place.rows<{ id: string }>(sql`SELECT id FROM customers WHERE erased_at IS NOT NULL`);
    expect(stranger?.customer_id).not.toBe(shell?.id);
    expect((await place.event('keyed', { external_id: 'key-ana' })).json().data.customer_key).toBeNull();
    await place.importRow({ phone: '+56987654321', external_id: 'key-ana' });
    expect((await customers()).map(({ kind }) => kind)).not.toContain('external_customer_id');
  });

  test('the same event sent again, dated or not, brings nothing back', async () => {
    for (const more of [{ occurred_at: '2026-06-01T00:00:00Z' }, {}, { occurred_at: kit.clock.now().toISOString() }]) {
      const response = await place.event('e1', ana, { ...more, properties: { note: 'secret', subject_ref: 'kid-a' } });
      expect(response.statusCode).toBe(202);
      expect(await customers()).toEqual([]);
      expect(await place.everything()).not.toContain('secret');
      expect(await place.everything()).not.toContain('kid-a');
    }
    expect(await place.rows(sql`SELECT customer_id IS NULL AS nobody FROM outcomes`)).toEqual([{ nobody: false }]);
  });
});

describe('200', () => {
  test('[eras-015][eras-035] the same request_ref again answers with the original receipt and erases nothing more', async () => {
    await place.event('e1', ana);
    const first = (await place.erase({ email: ana.email, request_ref: 'r1' })).json().data;
    kit.clock.advance(60_000);
    // Somebody else has the address now.
    const stranger = await place.importRow({ email: ana.email, first_name: 'Another' });
    const response = await place.erase({ email: ana.email, request_ref: 'r1', reason: 'other' });
    expect(response.statusCode).toBe(200);
    expect(response.json().data).toEqual(first);
    expect(await place.mint({ customer_profile_id: stranger })).toMatchObject({ status: 'minted' });
  });

  test('two requests at once erase once', async () => {
    await place.event('e1', ana);
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => place.erase({ customer_key: 'key-ana', request_ref: 'r1' })),
    );
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 200, 200, 202]);
    expect(new Set(answers.map((one) => one.json().data.erasure_id)).size).toBe(1);
  });
});

describe('400 names the field', () => {
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
    await place.event('e1', ana);
    const response = await place.erase(body);
    expect(response.statusCode, response.body).toBe(400);
    expect(response.json().error).toMatchObject({ code: 'invalid_parameter', field });
    expect(response.json().error.message).toContain(`"${field}"`);
    expect(await place.rows(sql`SELECT FROM erasures`)).toEqual([]);
  });

  test('[eras-038] a request_ref that was used for another customer', async () => {
    await place.event('e1', ana);
    await place.event('e2', { email: 'eva@example.cl' });
    await place.erase({ email: ana.email, request_ref: 'r1' });
    const response = await place.erase({ email: 'eva@example.cl', request_ref: 'r1' });
    expect(response.json().error).toMatchObject({ status: 400, code: 'invalid_parameter', field: 'request_ref' });
    expect(await place.mint({ email: 'eva@example.cl' })).toMatchObject({ status: 'minted' });
  });

  test('[eras-045] invalid_request where the body is no object', async () => {
    for (const payload of ['[]', '"x"', '7', 'null', '{']) {
      const response = await api.fastify.inject({
        method: 'POST',
        url: '/api/v1/customers/erasures',
        headers: { ...place.key.headers, 'content-type': 'application/json' },
        payload,
      });
      expect(response.json().error, payload).toMatchObject({ status: 400, code: 'invalid_request' });
    }
  });
});

describe('403 and 404', () => {
  test('[eras-046][eras-047][auth-032][err-039] takes API keys only', async () => {
    const owner = await buildMember(kit.app, place.workspaceId, 'owner');
    const assistant = await buildAssistant(kit.app, owner, place.profileId);
    const app = await api.registerApp();
    for (const headers of [owner.headers({ profileId: place.profileId }), assistant.headers, await app.token()]) {
      const response = await api.fastify.inject({
        method: 'POST',
        url: '/api/v1/customers/erasures',
        headers: { ...headers },
        payload: { request_ref: 'r1', email: ana.email },
      });
      expect(response.json().error).toMatchObject({ status: 403, code: 'api_key_required' });
    }
    const reader = await buildApiKey(kit.app, place.profileId, { scopes: ['conversions:read'] });
    expect((await place.erase({ email: ana.email }, { ...reader.headers })).json().error.code).toBe(
      'insufficient_scope',
    );
  });

  test('[eras-048][eras-049][err-040] nobody of this profile, and another profile’s customer just the same', async () => {
    const other = await openPlace(kit, api);
    await other.event('e1', ana);
    const answers = await Promise.all([
      place.erase({ customer_key: 'key-ana' }),
      place.erase({ customer_key: 'never-was' }),
      place.erase({ email: ana.email }),
    ]);
    for (const response of answers) {
      const { status, code, message } = response.json().error;
      expect([status, code, message]).toEqual([404, 'customer_not_found', answers[0]?.json().error.message]);
    }
    expect(await other.mint({ customer_key: 'key-ana' })).toMatchObject({ status: 'minted' });
    expect(await place.rows(sql`SELECT FROM erasures`)).toEqual([]);
  });

  test('an address of somebody who was erased leads to nobody', async () => {
    await place.event('e1', ana);
    await place.erase({ customer_key: 'key-ana' });
    for (const selector of [{ email: ana.email }, { phone: ana.phone }])
      expect((await place.erase(selector)).json().error.code).toBe('customer_not_found');
  });
});

describe('the receipt', () => {
  test('[eras-050] is read with attribution:write or conversions:read', async () => {
    await place.event('e1', ana);
    const { data } = (await place.erase({ customer_key: 'key-ana' })).json();
    expect((await place.read(data.erasure_id)).json()).toEqual({ data, meta: { profile_id: place.profileId } });
    const reader = await buildApiKey(kit.app, place.profileId, { scopes: ['conversions:read'] });
    const other = await buildApiKey(kit.app, place.profileId, { scopes: ['campaigns:read'] });
    const url = `/api/v1/customers/erasures/${data.erasure_id}`;
    expect((await place.ask('GET', url, undefined, { ...reader.headers })).statusCode).toBe(200);
    expect((await place.ask('GET', url, undefined, { ...other.headers })).statusCode).toBe(403);
  });

  test('[eras-051][err-043] erasure_not_found for an id that is none of this profile’s', async () => {
    const other = await openPlace(kit, api);
    await other.event('e1', ana);
    const { erasure_id } = (await other.erase({ customer_key: 'key-ana' })).json().data;
    for (const id of [erasure_id, uuid(), 'no-uuid'])
      expect((await place.read(id)).json().error).toMatchObject({ status: 404, code: 'erasure_not_found' });
  });

  test('[eras-052] goes with its profile', async () => {
    await place.event('e1', ana);
    await place.erase({ customer_key: 'key-ana' });
    await kit.app
      .forWorkspace(place.workspaceId)
      .transaction((tx) => sql`DELETE FROM profiles WHERE id = ${place.profileId}`.execute(tx));
    for (const table of ['erasures', 'tombstones', 'erasure_work', 'customers'])
      expect(await place.rows(sql`SELECT FROM ${sql.table(table)}`), table).toEqual([]);
  });
});

describe('a person erases', () => {
  const erase = (headers: Record<string, string>, body: object = {}, workspaceId = place.workspaceId) =>
    api.fastify.inject({
      method: 'POST',
      url: `/api/v1/workspaces/${workspaceId}/customer-erasures`,
      headers,
      payload: { request_ref: 'person-1', profile_id: place.profileId, customer_key: 'key-ana', ...body },
    });
  const member = async (role: 'owner' | 'admin' | 'analyst' | 'viewer') =>
    (await buildMember(kit.app, place.workspaceId, role)).headers({ workspaceId: place.workspaceId });

  test.each(['owner', 'admin'] as const)('[eras-053][eras-054] as %s of the workspace', async (role) => {
    await place.event('e1', ana);
    const response = await erase(await member(role));
    expect(response.statusCode, response.body).toBe(202);
    expect(response.json()).toMatchObject({
      data: { request_ref: 'person-1', status: 'queued', customer_key: 'key-ana' },
      meta: { workspace_id: place.workspaceId },
    });
    expect(await place.mint({ customer_key: 'key-ana' })).toMatchObject({ reason: 'erased' });
    expect((await erase(await member(role))).statusCode).toBe(200);
  });

  test('[eras-054] nobody else', async () => {
    await place.event('e1', ana);
    for (const role of ['analyst', 'viewer'] as const)
      expect((await erase(await member(role))).json().error).toMatchObject({ status: 403, code: 'forbidden' });
    expect((await erase({ ...place.key.headers })).json().error.status).toBe(403);
    const stranger = await openPlace(kit, api);
    const elsewhere = (await buildMember(kit.app, stranger.workspaceId, 'owner')).headers({});
    expect((await erase(elsewhere)).json().error.status).toBe(404);
    expect((await erase(elsewhere, {}, stranger.workspaceId)).json().error).toMatchObject({
      status: 404,
      code: 'not_found',
    });
    expect(await place.mint({ customer_key: 'key-ana' })).toMatchObject({ status: 'minted' });
  });
});
