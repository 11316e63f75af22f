import { firstPayments } from '@tributary/domain/commerce/payments/module.ts';
import { openTest, processQueue } from '@tributary/testkit';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { ana, openShop, type Shop } from './erasures.fixture.ts';

const world = await openTest();
const { kit } = world;
let shop: Shop;
beforeEach(async () => {
  shop = await openShop(world);
});

describe('an erasure', () => {
  test('[eras-027][eras-028][inge-038] removes name, email, phone, every identifier and the personal fields of raw events', async () => {
    await shop.event('e1', ana, {
      occurred_at: '2026-06-01T00:00:00Z',
      properties: { value: '100', currency: 'USD', subject_ref: 'patient-7', note: 'Called by Anastasia' },
      click_ids: { gclid: 'click-of-ana' },
      page_url: 'https://shop.example/thanks/ana',
      action_source: 'website',
      ad_id: '120200000000000009',
    });
    const before = await shop.everything();
    const words = [...Object.values(ana), 'anastasia', 'sotomayor', 'patient-7', 'click-of-ana', 'thanks/ana'];
    for (const word of words) expect(before, word).toContain(word);
    const [customer] = await shop.rows<{ id: string }>(sql`SELECT id FROM customers`);

    await shop.erase({ customer_key: 'key-ana' });
    const after = await shop.everything();
    for (const word of [...words, customer?.id as string]) {
      // The work queue keeps the customer id until the other stores are cleared.
      const waits = word === customer?.id;
      expect(after.split('\n').filter((text) => text.includes(word)).length, word).toBe(waits ? 1 : 0);
    }
    expect(
      await shop.rows(sql`SELECT amount, currency, event_name, rest, subject_ref IS NULL AS untagged FROM outcomes`),
    ).toEqual([
      {
        amount: '100',
        currency: 'USD',
        event_name: 'lead_created',
        rest: { action_source: 'website', ad_id: '120200000000000009' },
        untagged: false,
      },
    ]);
    expect((await shop.call('GET', '/api/v1/customers/search?q=anastasia')).json().data).toEqual([]);
  });

  test('[eras-010][eras-036] after a confirmed merge records every key as erased, and each key returns the first receipt', async () => {
    await shop.event('e1', { external_id: 'elder', email: 'ana.soto@example.cl' });
    await shop.event('e2', { external_id: 'younger', phone: '+56912345678' });
    await shop.event('e3', { external_id: 'younger', email: 'ana.soto@example.cl' });
    const [proposal] = (await shop.call('GET', '/api/v1/merge-proposals')).json().data;
    const confirm = `/api/v1/merge-proposals/${proposal.id}/confirm`;
    expect((await shop.call('POST', confirm, { reason: 'The same customer.' })).statusCode).toBe(200);
    const first = (await shop.erase({ customer_key: 'younger' })).json().data;
    expect(first.customer_key).toBe('younger');
    for (const customer_key of ['elder', 'younger']) {
      const response = await shop.erase({ customer_key });
      expect(response.statusCode).toBe(200);
      expect(response.json().data).toEqual(first);
      expect(await shop.mint({ customer_key })).toMatchObject({ status: 'not_found', reason: 'erased' });
    }
    // Only the shell customer is left.
    expect(await shop.rows(sql`SELECT count(*)::int AS n FROM customers WHERE erased_at IS NULL`)).toEqual([{ n: 0 }]);
    // No search term of a merged customer is left either.
    expect(await shop.rows(sql`SELECT term FROM search_terms`)).toEqual([]);
  });

  test('keeps first-payment flags, although the subjects of the payments are unknown', async () => {
    const pay = (name: string, day: number, subject_ref?: string) =>
      shop.event(name, ana, {
        event_name: 'payment_received',
        occurred_at: `2026-05-${String(day).padStart(2, '0')}T00:00:00Z`,
        properties: { value: '10', currency: 'USD', ...(subject_ref && { subject_ref }) },
      });
    await pay('p1', 1, 'kid-a');
    await pay('p2', 2, 'kid-b');
    await pay('p3', 20, 'kid-a');
    const firstPaymentFlags = () =>
      shop.rows(sql`SELECT idempotency_key, is_first_payment, purchase_id FROM outcomes ORDER BY idempotency_key`);
    const before = await firstPaymentFlags();
    expect(before.filter((row) => (row as { is_first_payment: boolean }).is_first_payment)).toHaveLength(2);
    await shop.erase({ customer_key: 'key-ana' });
    expect(await firstPaymentFlags()).toEqual(before);
    // Derived again from scratch, too.
    const [shell] = await shop.rows<{ id: string }>(sql`SELECT id FROM customers`);
    await shop.rows(
      sql`INSERT INTO dirty_customers (profile_id, customer_id) VALUES (${shop.profileId}, ${shell?.id})`,
    );
    await processQueue(kit.system, 'firstPayments', firstPayments(kit.app));
    expect(await firstPaymentFlags()).toEqual(before);
  });

  test('[link-035][link-036][link-037][eras-032] makes minting by our id or key return erased, and by email or phone no_match', async () => {
    const id = await shop.importRow({ email: ana.email, phone: ana.phone, external_id: 'key-ana' });
    await shop.erase({ customer_key: 'key-ana' });
    const row = async (selector: object) => {
      const { status, reason } = await shop.mint(selector);
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

  test('prevents link tokens for the shell customer, so that no browser is linked to it', async () => {
    await shop.event('e1', ana);
    await shop.erase({ customer_key: 'key-ana' });
    const [shell] = await shop.rows<{ id: string }>(sql`SELECT id FROM customers`);
    expect(await shop.mint({ customer_profile_id: shell?.id })).toMatchObject({
      status: 'not_found',
      reason: 'erased',
    });
  });

  test('replaces a stored idempotent response that named the person by its status alone', async () => {
    const rows = [{ email: ana.email, external_id: 'key-ana' }, { email: 'eva@example.cl' }];
    const again = () => shop.call('POST', '/api/v1/customers', { rows }, { 'idempotency-key': 'import-1' });
    const { statusCode } = await again();
    await shop.erase({ email: ana.email });
    const response = await again();
    expect(response.headers['idempotent-replayed']).toBe('true');
    expect(response.statusCode).toBe(statusCode);
    expect(response.json()).toEqual({ data: null, meta: { profile_id: shop.profileId, is_erased: true } });
    expect(await shop.rows(sql`SELECT value FROM identifiers`)).toEqual([{ value: 'eva@example.cl' }]);
  });

  test('writes a data access log entry and an audit entry without personal data', async () => {
    await shop.event('e1', ana);
    const { erasure_id } = (await shop.erase({ customer_key: 'key-ana' })).json().data;
    const owner = kit.app.forWorkspace(shop.workspaceId);
    const [audit] = (await owner.transaction((tx) => sql`SELECT action, target, detail FROM audit_log`.execute(tx)))
      .rows;
    expect(audit).toEqual({
      action: 'customer.erased',
      target: `erasure:${erasure_id}`,
      detail: { profile_id: shop.profileId, reason: 'data_subject_request' },
    });
    const log = (await owner.transaction((tx) => sql`SELECT operation, people FROM pii_access_log`.execute(tx))).rows;
    expect(log).toEqual([{ operation: 'createErasure', people: 1 }]);
  });
});

describe('events after an erasure', () => {
  const customers = () =>
    shop.rows<{ kind: string; value: string }>(sql`SELECT kind, value FROM identifiers ORDER BY kind, value`);
  beforeEach(async () => {
    await shop.event('e1', ana, { occurred_at: '2026-06-01T00:00:00Z', properties: { note: 'secret' } });
    await shop.erase({ customer_key: 'key-ana' });
    kit.clock.advance(60_000);
  });

  test('[eras-015] an event dated before the erasure is recorded without a customer and personal fields', async () => {
    const response = await shop.event(
      'late',
      { email: ana.email, phone: '+56987654321' },
      {
        occurred_at: '2026-06-02T00:00:00Z',
        properties: { value: '5', currency: 'USD', note: 'secret' },
      },
    );
    expect(response.json().data).toMatchObject({ status: 'recorded', customer_key: null });
    expect(await customers()).toEqual([]);
    expect(await shop.rows(sql`SELECT customer_id, amount, rest FROM outcomes WHERE idempotency_key = 'late'`)).toEqual(
      [{ customer_id: null, amount: '5', rest: {} }],
    );
  });

  test.each([
    ['mother', 'son'],
    ['son', 'mother'],
  ])('an erasure does not affect customers who share only the phone (order %s, %s)', async (...family) => {
    const phone = '+56944441118';
    for (const external_id of family) await shop.event(external_id, { external_id, phone });
    expect((await shop.erase({ customer_key: 'son' })).statusCode).toBe(202);
    expect(await shop.journeyByKey('son')).toEqual([404, 'customer_not_found']);
    expect(await shop.journeyByKey('mother')).toEqual([200, undefined]);
    // Later events about the time before belong to the other customers; events of the erased customer do not go to them.
    const occurred_at = new Date(kit.clock.now().getTime() - 60_000).toISOString();
    for (const external_id of ['mother', 'daughter', 'son'])
      await shop.event(`late-${external_id}`, { external_id, phone }, { occurred_at });
    await shop.event('again', { external_id: 'son', phone });
    const rows = await shop.rows(sql<{ key: string; holder: string | null }>`
      SELECT o.idempotency_key AS key, i.value AS holder FROM outcomes o
      LEFT JOIN identifiers i ON i.customer_id = o.customer_id AND i.kind = 'external_customer_id'
      WHERE o.idempotency_key NOT IN ('e1', 'son') ORDER BY 1`);
    expect(Object.fromEntries(rows.map(({ key, holder }) => [key, holder]))).toEqual({
      again: null,
      'late-daughter': 'daughter',
      'late-mother': 'mother',
      'late-son': null,
      mother: 'mother',
    });
  });

  test('an event dated after the erasure creates a new customer; the erased key is never linked again', async () => {
    const response = await shop.event('new', ana, { occurred_at: kit.clock.now().toISOString() });
    expect(response.json().data).toMatchObject({ status: 'recorded', customer_key: null });
    expect((await customers()).map(({ kind }) => kind)).not.toContain('external_customer_id');
    expect((await customers()).map(({ value }) => value)).toContain(ana.email);
    const [, stranger] = await shop.rows<{ customer_id: string }>(
      sql`SELECT customer_id FROM outcomes ORDER BY recorded_at`,
    );
    const [shell] = await shop.rows<{ id: string }>(sql`SELECT id FROM customers WHERE erased_at IS NOT NULL`);
    expect(stranger?.customer_id).not.toBe(shell?.id);
    expect((await shop.event('keyed', { external_id: 'key-ana' })).json().data.customer_key).toBeNull();
    await shop.importRow({ phone: '+56987654321', external_id: 'key-ana' });
    expect((await customers()).map(({ kind }) => kind)).not.toContain('external_customer_id');
  });

  test('[eras-015] resending the same event, dated or not, restores nothing', async () => {
    for (const more of [{ occurred_at: '2026-06-01T00:00:00Z' }, {}, { occurred_at: kit.clock.now().toISOString() }]) {
      const response = await shop.event('e1', ana, { ...more, properties: { note: 'secret', subject_ref: 'kid-a' } });
      expect(response.statusCode).toBe(202);
      expect(await customers()).toEqual([]);
      expect(await shop.everything()).not.toContain('secret');
      expect(await shop.everything()).not.toContain('kid-a');
    }
    // Nor does it under another customer who was never erased.
    await shop.event('e1', { external_id: 'somebody-else' }, { properties: { note: 'secret' } });
    expect(await shop.everything()).not.toContain('secret');
    expect(await shop.rows(sql`SELECT customer_id IS NULL AS nobody FROM outcomes`)).toEqual([{ nobody: false }]);
  });
});
