import { auditEntries, openTestWithClickHouse } from '@tributary/testkit';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Merchant, openMerchant } from './payments.fixture.ts';

const world = await openTestWithClickHouse();
let shop: Merchant;
beforeEach(async () => {
  shop = await openMerchant(world);
});

const code = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [status, body.error?.code];

describe('the list', () => {
  test("[pay-001] [pay-002] shows payments with the merchant's entries, newest first", async () => {
    const first = await shop.pay('p-1', 1, '100', 'ana');
    const second = await shop.pay('p-2', 20, '50.25', 'ana');
    await shop.pay('lead', 3, '7', 'ana', { event_name: 'quote_sent' });
    await shop.put(second, 'installment', { is_installment: true });
    await shop.refundByHand(first, '30.50');
    const { status, body } = await shop.list();
    expect(status).toBe(200);
    expect(body.data).toMatchObject([
      {
        id: second,
        net: '50.25',
        status: 'succeeded',
        is_installment: true,
        is_first_payment: false,
        manual_refund: null,
      },
      {
        id: first,
        provider: 'manual',
        external_id: 'p-1',
        amount: '100.00',
        amount_refunded: '30.50',
        net: '69.50',
        currency: 'USD',
        reporting_net: '69.50',
        reporting_currency: 'USD',
        rate: '1',
        status: 'partially_refunded',
        paid_at: '2026-05-01T12:00:00.000Z',
        customer_key: 'ana',
        payer: null,
        is_first_payment: true,
        is_installment: false,
        manual_refund: { amount: '30.50' },
      },
    ]);
    expect(body.pagination).toMatchObject({ has_next: false });
  });

  test('paginates payments with equal timestamps, and lists unidentified payments', async () => {
    for (const day of [1, 2, 2, 2, 3]) await shop.pay(`p-${Math.random()}`, day, '1', day === 2 ? undefined : 'ana');
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await shop.list({ limit: '2', ...(cursor && { cursor }) });
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      if (!body.pagination.has_next) break;
      cursor = body.pagination.cursor;
    }
    expect(seen).toHaveLength(5);
    expect(new Set(seen).size).toBe(5);
    const { body } = await shop.list({ status: 'unidentified' });
    expect(body.data).toHaveLength(3);
    for (const row of body.data) expect(row).toMatchObject({ customer_key: null, is_first_payment: null });
    expect((await shop.list({ from: '2026-05-02T12:00:00Z', to: '2026-05-03T12:00:00Z' })).body.data).toHaveLength(3);
  });

  test('[err-095] [err-096] [err-097] an invalid query is 422 with the code of its parameter', async () => {
    expect(code(await shop.list({ status: 'paid' }))).toEqual([422, 'status_invalid']);
    for (const range of [{ from: 'May' }, { from: '2026-05-02', to: '2026-05-01' }, { to: '' }, { to: '2027-05-02' }])
      expect(code(await shop.list(range))).toEqual([422, 'range_invalid']);
    expect(code(await shop.answerOf('GET', '/payments?from=2026-05-01'))).toEqual([422, 'range_invalid']);
    expect(code(await shop.put('p-1', 'installment', { is_installment: true }))).toEqual([422, 'payment_ref_invalid']);
    expect(code(await shop.list({ cursor: 'x' }))).toEqual([400, 'invalid_parameter']);
  });

  test('another profile’s payment is 404, and each route requires its scope', async () => {
    const id = await shop.pay('p-1', 1, '100', 'ana');
    const other = await openMerchant(world);
    expect(code(await other.answerOf('GET', `/payments/${id}`))).toEqual([404, 'not_found']);
    expect(code(await other.refundByHand(id))).toEqual([404, 'not_found']);
    expect((await other.list()).body.data).toEqual([]);
    const path = `/api/v1/payments/${id}`;
    const reader = await shop.keyWith('commerce:read');
    expect((await shop.ask(path, reader)).body.data).toMatchObject({ customer_key: 'ana', customer_profile_id: null });
    expect((await shop.ask(path, await shop.keyWith('campaigns:read'))).status).toBe(403);
    expect((await shop.ask(`${path}/refund`, reader, 'POST', {})).status).toBe(403);
    expect(await shop.accesses()).toContainEqual({ operation: 'readPayment', people: 1, result: 'served' });
  });
});

describe('a later installment', () => {
  test('[pay-003] [pay-004] is marked and unmarked, stays marked when the payment is sent again, and is never a first payment', async () => {
    const id = await shop.pay('p-1', 1, '100', 'ana');
    await shop.pay('p-2', 3, '100', 'ana');
    expect(await shop.flags()).toEqual({ 'p-1': true, 'p-2': true });
    const marked = await shop.put(id, 'installment', { is_installment: true });
    expect(marked.body.data).toMatchObject({
      outcome: 'applied',
      before: { is_first_payment: true },
      after: { is_first_payment: false },
    });
    await shop.pay('p-1', 1, '90', 'ana');
    expect(await shop.flags()).toEqual({ 'p-1': false, 'p-2': false });
    expect((await shop.put(id, 'installment', { is_installment: true })).body.data).toMatchObject({
      outcome: 'no_change',
      action_id: null,
    });
    const { undo } = marked.body.data;
    await shop.call(undo.method, undo.path, undo.body);
    expect(await shop.flags()).toEqual({ 'p-1': true, 'p-2': true });
    expect((await shop.read(id)).entries).toMatchObject([
      { action: 'installment_unmarked' },
      { action: 'installment_marked' },
    ]);
  });
});

describe('a manual refund', () => {
  test('[pay-010] [pay-011] [err-092] of zero, a negative amount or more than is left is 422 amount_invalid', async () => {
    const id = await shop.pay('p-1', 1, '100', 'ana');
    expect((await shop.refund('r-1', 'p-1', '40')).status).toBe(202);
    for (const amount of [0, '-1', '60.01', 'ten', 100])
      expect(code(await shop.refundByHand(id, amount))).toEqual([422, 'amount_invalid']);
    expect(await shop.read(id)).toMatchObject({ net: '60.00', manual_refund: null, entries: [] });
    expect((await shop.refundByHand(id, '60')).status).toBe(200);
    expect(await shop.read(id)).toMatchObject({ net: '0.00', status: 'refunded' });
  });

  test('[pay-006] [pay-007] [pay-012] [pay-013] is recorded once, removed, and recorded again', async () => {
    const id = await shop.pay('p-1', 1, '100', 'ana');
    expect((await shop.refundByHand(id)).body.data).toMatchObject({
      outcome: 'applied',
      after: { net: '0.00', status: 'refunded' },
    });
    expect(code(await shop.refundByHand(id, 1))).toEqual([422, 'manual_refund_exists']);
    expect((await shop.undoRefund(id)).body.data).toMatchObject({
      id,
      deleted: true,
      after: { net: '100.00', status: 'succeeded' },
    });
    expect(code(await shop.undoRefund(id))).toEqual([404, 'not_found']);
    expect((await shop.refundByHand(id, '0.01')).body.data.after).toMatchObject({
      net: '99.99',
      reporting_net: '99.99',
    });
    expect((await shop.read(id)).entries.map(({ action }: { action: string }) => action)).toEqual([
      'refund_recorded',
      'refund_undone',
      'refund_recorded',
    ]);
  });

  test('[err-093] only one of several concurrent refunds is recorded; the others are 422 manual_refund_exists', async () => {
    const id = await shop.pay('p-1', 1, '100', 'ana');
    const answers = await Promise.all(Array.from({ length: 5 }, () => shop.refundByHand(id, '20')));
    expect(answers.map(code).sort()).toEqual([[200, undefined], ...Array(4).fill([422, 'manual_refund_exists'])]);
    expect(await shop.read(id)).toMatchObject({ net: '80.00' });
  });

  test('adds an audit entry without customer data, and a dry run adds none', async () => {
    const id = await shop.pay('p-1', 1, '100', 'ana');
    const dry = await shop.refundByHand(id, '25', '?dry_run=true');
    expect(dry.body.data).toMatchObject({ outcome: 'dry_run', action_id: null, after: { net: '75.00' } });
    expect((await shop.put(id, 'installment', { is_installment: true }, '?dry_run=true')).body.data.outcome).toBe(
      'dry_run',
    );
    expect(await shop.read(id)).toMatchObject({ net: '100.00', is_installment: false, entries: [] });
    const { action_id } = (await shop.refundByHand(id, '25')).body.data;
    const log = await auditEntries(world.kit, { workspaceId: shop.workspaceId });
    expect(log.filter(({ target }) => target === `payment:${id}`)).toMatchObject([
      { action: 'payment.refund_recorded', detail: { action_id, amount: '25', currency: 'USD' } },
    ]);
    expect((await shop.undoRefund(id, '?dry_run=true')).body.data).toMatchObject({
      outcome: 'dry_run',
      deleted: false,
    });
    expect(await shop.read(id)).toMatchObject({ net: '75.00' });
  });
});

describe('who paid', () => {
  test('[pay-005] [pay-014] [err-094] moves the payment to the payer’s journey and returns 502 until attribution has caught up; repeating it is no_change', async () => {
    const id = await shop.pay('p-1', 5, '100', 'ana');
    await shop.pay('p-0', 1, '10', 'ben');
    await shop.attribute();
    const assigned = await shop.put(id, 'payer', { customer_key: 'ben' });
    expect(code(assigned)).toEqual([502, 'payment_assignment_incomplete']);
    expect(await shop.read(id)).toMatchObject({ customer_key: 'ben', payer: { customer_key: 'ben' } });
    await shop.attribute();
    expect((await shop.put(id, 'payer', { customer_key: 'ben' })).body.data).toMatchObject({ outcome: 'no_change' });
    const journey = async (key: string) =>
      (await shop.ask(`/api/v1/customers/journey?customer_key=${key}`)).body.data.events.length;
    expect([await journey('ana'), await journey('ben')]).toEqual([0, 2]);
    expect(await shop.flags()).toEqual({ 'p-0': true, 'p-1': true });

    // The provider reports the payment again, with another amount: the merchant's payer stays.
    await shop.pay('p-1', 5, '100', 'ana');
    await shop.pay('p-1', 5, '120', 'ana');
    expect(await shop.read(id)).toMatchObject({
      customer_key: 'ben',
      amount: '120.00',
      payer: { customer_key: 'ben' },
    });
    await shop.put(id, 'payer', { customer_key: null });
    await shop.attribute();
    expect(await shop.read(id)).toMatchObject({ customer_key: 'ana', payer: null, is_first_payment: true });
    expect([await journey('ana'), await journey('ben')]).toEqual([1, 1]);
  });

  test('removing the payer returns the payment to the customer whom its source reported', async () => {
    const id = await shop.pay('p-1', 5, '100', 'ana');
    await shop.send({ user_traits: { external_id: 'ben' } });
    await shop.put(id, 'payer', { customer_key: 'ben' });
    await shop.put(id, 'payer', { customer_key: null });
    expect(await shop.read(id)).toMatchObject({ customer_key: 'ana', payer: null });
  });

  test('[err-074] a payer who is not an active customer of this profile is 422 customer_not_in_profile', async () => {
    const id = await shop.pay('p-1', 5, '100');
    const other = await openMerchant(world);
    const { customerId } = await other.send({ user_traits: { external_id: 'zoe' } });
    for (const body of [{ customer_key: 'zoe' }, { customer_profile_id: customerId }, { customer_profile_id: id }])
      expect(code(await shop.put(id, 'payer', body))).toEqual([422, 'customer_not_in_profile']);
    await shop.send({ user_traits: { email: 'eva@example.test' } });
    await shop.send({ user_traits: { external_id: 'eva' } });
    const { customerId: merged } = await shop.send({ user_traits: { external_id: 'eva', email: 'eva@example.test' } });
    const away = await shop.ledger.transaction((tx) =>
      tx.selectFrom('customers').select('id').where('merged_into', '=', merged).executeTakeFirstOrThrow(),
    );
    expect(code(await shop.put(id, 'payer', { customer_profile_id: away.id }))).toEqual([
      422,
      'customer_not_in_profile',
    ]);
    expect(code(await shop.put(id, 'payer', {}))).toEqual([422, 'validation_error']);
    const dry = await shop.put(id, 'payer', { customer_profile_id: merged }, '?dry_run=true');
    expect(dry.body.data).toMatchObject({
      outcome: 'dry_run',
      before: { customer_key: null },
      after: { customer_key: 'eva' },
    });
    expect(await shop.read(id)).toMatchObject({ customer_key: null, payer: null });
  });

  test('erasing the assigned payer leaves the payment without a customer for good; erasing the reported customer keeps the payer', async () => {
    const id = await shop.pay('p-1', 5, '100', 'ana', {
      properties: { value: '100', currency: 'USD', note: 'for Ana' },
    });
    await shop.pay('p-2', 5, '5', 'ben');
    await shop.put(id, 'payer', { customer_key: 'ben' });
    const erase = (key: string) =>
      shop.answerOf('POST', '/customers/erasures', { request_ref: `r-${key}`, customer_key: key });
    expect((await erase('ana')).status).toBe(202);
    expect(await shop.read(id)).toMatchObject({ customer_key: 'ben', net: '100.00' });
    expect((await erase('ben')).status).toBe(202);
    expect(await shop.read(id)).toMatchObject({ customer_key: null, payer: null, net: '100.00' });
    expect(code(await shop.put(id, 'payer', { customer_key: null }))).toEqual([409, 'invalid_state']);
    const { rest } = await shop.ledger.transaction((tx) =>
      tx.selectFrom('outcomes').select('rest').where('id', '=', id).executeTakeFirstOrThrow(),
    );
    expect(JSON.stringify(rest)).not.toContain('Ana');
  });
});
