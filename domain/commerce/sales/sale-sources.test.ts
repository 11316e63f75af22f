import { auditEntries, buildConnection, openTestWithClickHouse } from '@tributary/testkit';
import { beforeEach, describe, expect, test } from 'vitest';
import { countRecords } from './count-records.ts';
import { openStore } from './sales.fixture.ts';

const world = await openTestWithClickHouse();
let store: Awaited<ReturnType<typeof openStore>>;
beforeEach(async () => {
  store = await openStore(world);
});
const patch = (path: string, body: object) => store.answerOf('PATCH', path, body);
const numbers = Array.from({ length: 22 }, (_, n) => n);

/** 22 sales, a day apart, that both the server and a provider report, and one more by each of them alone. */
async function overlap(connectionId: string | null = null) {
  for (const n of numbers) await store.serve(`server-${n}`, `c${n}`, '10.00', n * 1_440);
  await store.serve('server-alone', 'solo', '3.00', 5);
  const charges = numbers.map((n) => ({ id: `ch_000${n}`, customer: `c${n}`, value: '10.00', minutes: n * 1_440 + 1 }));
  await store.provide(
    'payments_a',
    [...charges, { id: 'ch_alone', customer: 'other', value: '5.00', minutes: 20 }],
    connectionId,
  );
  expect(await store.revenue()).toBe('228.00');
}
const counts = async () =>
  Object.fromEntries(
    (await store.sources()).sources.map(({ source, counted, duplicates, excluded, pending }) => [
      source,
      { counted, duplicates, excluded, pending },
    ]),
  );

describe('GET /sale-sources', () => {
  test('shows sources with their counts, the overlap with its open question, and the settings', async () => {
    const { profileId: id, workspaceId } = store;
    const profile = { id, workspaceId, mark: 'Main account' };
    const connectionId = await buildConnection(world.kit, profile, { channel: 'payments_a' });
    await overlap(connectionId);
    const source = `payments_a:${connectionId}`;
    expect(await store.sources()).toEqual({
      sources: [
        expect.objectContaining({
          source: 'api',
          provider: 'manual',
          kind: 'server',
          connection_id: null,
          account_name: null,
        }),
        {
          source,
          provider: 'payments_a',
          kind: 'payments',
          connection_id: connectionId,
          account_name: expect.stringContaining('Main account'),
          records: 23,
          counted: 23,
          duplicates: 0,
          excluded: 0,
          pending: 0,
          has_more: false,
          decision: null,
          decided_at: null,
          excluded_from: null,
        },
      ],
      overlaps: [
        {
          sources: ['api', source],
          records: 23,
          partners: 22,
          is_systematic: true,
          found_at: expect.any(String),
          never_same_sale: false,
          needs_answer: true,
          applies: 'count_once',
        },
      ],
      settings: { preference: ['payments', 'store', 'bank', 'server', 'file', 'crm'], window_minutes: 10 },
      is_pending: false,
    });
  });

  test('counts the payments of a profile’s only source', async () => {
    await store.serve('server-1', 'ana', '10.00', 0);
    await store.attribute();
    expect(await store.sources()).toMatchObject({
      sources: [{ source: 'api', records: 1, counted: 1, duplicates: 0 }],
      overlaps: [],
    });
  });

  test('counts the newest payments of a source, up to a limit', async () => {
    const countUpTo = async (most: number) => {
      const sources = (await store.sources()).sources.map(({ source }) => source);
      return world.kit.app
        .forProfile(store.profileId)
        .transaction((tx) => countRecords(tx, store.profileId, sources, most));
    };
    for (const n of [0, 1, 2]) await store.serve(`server-${n}`, `c${n}`, '10.00', n);
    await store.attribute();
    expect((await countUpTo(3)).get('api')).toMatchObject({ records: 3, counted: 3, has_more: false });
    await patch('/sale-sources/api', { excluded_from: '2026-05-11' });
    await store.serve('server-3', 'c3', '10.00', 1_440);
    await store.attribute();
    expect((await countUpTo(2)).get('api')).toMatchObject({ records: 2, counted: 1, excluded: 1, has_more: true });
    await store.provide('payments_a', [{ id: 'ch_000', customer: 'c0', value: '10.00', minutes: 1 }]);
    await store.attribute();
    const counts = await countUpTo(2);
    expect(counts.get('api')).toMatchObject({ records: 2, counted: 1, excluded: 1, has_more: true });
    expect(counts.get('payments_a')).toMatchObject({ records: 1, has_more: false });
  });

  test('requires commerce:read', async () => {
    expect((await store.ask('/api/v1/sale-sources', await store.keyWith('campaigns:read'))).status).toBe(403);
    expect((await store.ask('/api/v1/sale-sources', await store.keyWith('commerce:read'))).status).toBe(200);
  });
});

describe('PATCH /sale-sources/{source}', () => {
  test('excludes a source from reports, from the beginning or from a date, and includes it again', async () => {
    await overlap();
    const [before, payments] = [await store.sources(), await store.payments()];
    const { body } = await patch('/sale-sources/payments_a', { excluded_from: 'beginning' });
    expect(body.data).toMatchObject({ outcome: 'applied', source: { excluded_from: 'beginning' } });
    expect((await store.sources()).is_pending).toBe(true);
    expect(await store.revenue()).toBe('223.00');
    expect(await counts()).toMatchObject({ api: { counted: 23 }, payments_a: { counted: 0, excluded: 23 } });
    // Later payments are excluded, too.
    await store.provide('payments_a', [{ id: 'ch_late', customer: 'late', value: '9.00', minutes: 30 }]);
    expect(await store.revenue()).toBe('223.00');
    await patch('/sale-sources/payments_a', { excluded_from: '2026-05-20' });
    expect(await store.revenue()).toBe('237.00');
    expect(await counts()).toMatchObject({ payments_a: { counted: 12, excluded: 12 } });
    const { body: back } = await patch('/sale-sources/payments_a', { excluded_from: null });
    expect(back.data.undo.body).toEqual({ decision: null, excluded_from: '2026-05-20T00:00:00.000Z' });
    expect(await store.revenue()).toBe('237.00');
    expect(await counts()).toMatchObject({ payments_a: { counted: 24, excluded: 0 } });
    expect((await store.payments()).filter(({ external_id }) => external_id !== 'ch_late')).toEqual(payments);
    expect((await store.sources()).overlaps).toMatchObject([{ is_systematic: before.overlaps[0]?.is_systematic }]);
  });

  test('excludes a profile’s only source, including later payments and payments moved across the date', async () => {
    await store.serve('server-1', 'ana', '10.00', 0);
    await store.serve('server-2', 'bo', '20.00', 2 * 1_440);
    expect(await store.revenue()).toBe('30.00');
    const { body } = await patch('/sale-sources/api', { excluded_from: '2026-05-11' });
    expect(await store.revenue()).toBe('10.00');
    await store.serve('server-3', 'cy', '40.00', 3 * 1_440);
    expect(await store.revenue()).toBe('10.00');
    await store.serve('server-2', 'bo', '20.00', 10);
    expect(await store.revenue()).toBe('30.00');
    expect(await counts()).toEqual({ api: { counted: 2, duplicates: 0, excluded: 1, pending: 0 } });
    await store.sendUndo(body.data);
    expect(await store.revenue()).toBe('70.00');
  });

  test('counts both sources after a member decides so, and answers the open question', async () => {
    await overlap();
    const { body } = await patch('/sale-sources/payments_a', { decision: 'count_both' });
    expect(await store.revenue()).toBe('448.00');
    expect((await store.sources()).overlaps).toMatchObject([{ needs_answer: false, applies: 'count_both' }]);
    await patch('/sale-sources/payments_a', { decision: 'count_once' });
    expect(await store.revenue()).toBe('228.00');
    expect((await store.sources()).overlaps).toMatchObject([{ needs_answer: false, applies: 'count_once' }]);
    await store.sendUndo(body.data);
    expect((await store.sources()).overlaps).toMatchObject([{ needs_answer: true, applies: 'count_once' }]);
    const again = await patch('/sale-sources/payments_a', { decision: null });
    expect(again.body.data).toMatchObject({ outcome: 'no_change', undo: null });
    const entries = await auditEntries(world.kit, { workspaceId: store.workspaceId });
    expect(entries.filter(({ action }) => action === 'sale_source.changed')).toHaveLength(3);
  });

  test('returns 404 for another profile’s source as for an unknown one, and 422 for a wrong date', async () => {
    const { profileId: id, workspaceId } = store;
    const connectionId = await buildConnection(world.kit, { id, workspaceId, mark: 'mine' });
    await store.provide('payments_a', [{ id: 'ch_1', customer: 'a', value: '1.00', minutes: 0 }], connectionId);
    const other = await openStore(world);
    const change = (source: string) => other.answerOf('PATCH', `/sale-sources/${source}`, { decision: 'count_both' });
    const [foreign, unknown] = [await change(`payments_a:${connectionId}`), await change('payments_b')];
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    expect(foreign.body.error.message).toBe(unknown.body.error.message);
    const wrong = await patch(`/sale-sources/payments_a:${connectionId}`, { excluded_from: '2026-02-30' });
    expect(wrong.status).toBe(422);
  });
});

describe('PUT /sale-sources/{source}/overlaps/{other}', () => {
  test('counts both sources in full while they are marked as never reporting the same sale', async () => {
    await overlap();
    const [payments, [before]] = [await store.payments(), (await store.sources()).overlaps];
    const put = (never_same_sale: boolean) =>
      store.answerOf('PUT', '/sale-sources/payments_a/overlaps/api', { never_same_sale });
    const { body } = await put(true);
    expect(body.data).toMatchObject({ outcome: 'applied', overlap: { never_same_sale: true, applies: 'count_both' } });
    expect(await store.revenue()).toBe('448.00');
    expect(await store.matches({ state: 'automatic' })).toEqual([]);
    expect((await put(true)).body.data).toMatchObject({ outcome: 'no_change', undo: null });
    await store.sendUndo(body.data);
    expect(await store.revenue()).toBe('228.00');
    expect((await store.sources()).overlaps).toEqual([before]);
    expect(await store.payments()).toEqual(payments);
  });

  test('returns 404 if a source is unknown, another profile’s, or both are the same', async () => {
    await store.serve('server-1', 'ana', '10.00', 0);
    for (const pair of ['api/overlaps/payments_a', 'payments_a/overlaps/api', 'api/overlaps/api', 'a b/overlaps/api'])
      expect((await store.answerOf('PUT', `/sale-sources/${pair}`, { never_same_sale: true })).status).toBe(404);
  });
});

describe('PATCH /sale-settings', () => {
  test('counts the record of the preferred kind of source, and revenue follows it', async () => {
    await store.serve('order-1', 'ana', '49.90', 0, { payment_id: 'ch_0000000001' });
    await store.provide('payments_a', [{ id: 'ch_0000000001', customer: 'ana', value: '50.00', minutes: 2 }]);
    expect(await store.revenue()).toBe('50.00');
    await store.refund('payments_a', 'ch_0000000001', 're_1', '5');
    expect(await store.revenue()).toBe('45.00');
    const payments = await store.payments();
    const preference = ['server', 'payments', 'store', 'bank', 'file', 'crm'];
    const { body } = await patch('/sale-settings', { preference });
    expect(body.data).toMatchObject({ outcome: 'applied', settings: { preference, window_minutes: 10 } });
    // A refund on the duplicate reduces the counted record.
    expect(await store.revenue()).toBe('44.90');
    const rows = await store.payments();
    expect(rows.find(({ counted }) => counted)).toMatchObject({ external_id: 'order-1', is_first_payment: true });
    await store.sendUndo(body.data);
    expect(await store.revenue()).toBe('45.00');
    expect(await store.payments()).toEqual(payments);
  });

  test('suggests records that are further apart in a longer window, and withdraws them in a shorter one', async () => {
    await store.serve('server-1', 'ana', '10.00', 0);
    await store.provide('payments_a', [{ id: 'ch_1', customer: 'ana', value: '10.00', minutes: 15 }]);
    await store.attribute();
    expect(await store.matches()).toEqual([]);
    const { body } = await patch('/sale-settings', { window_minutes: 20 });
    await store.attribute();
    expect(await store.matches()).toMatchObject([{ state: 'suggested', seconds_apart: 900 }]);
    await store.sendUndo(body.data);
    await store.attribute();
    expect(await store.matches()).toEqual([]);
  });

  test.each([
    { preference: ['payments'] },
    { preference: ['payments', 'payments', 'bank', 'server', 'file', 'crm'] },
    { window_minutes: 0 },
    { window_minutes: 1_441 },
    { unknown: true },
  ])('refuses %j', async (body) => {
    expect((await patch('/sale-settings', body)).status).toBe(422);
  });

  test('requires attribution:write', async () => {
    const headers = await store.keyWith('commerce:read');
    const answer = await store.call('PATCH', '/api/v1/sale-settings', { window_minutes: 20 }, headers);
    expect(answer.statusCode).toBe(403);
  });
});

describe('payments without a customer', () => {
  test('are matched by their reference when a second source appears later', async () => {
    await store.serve('order-1', null, '49.90', 0, { payment_id: 'ch_0000000001' });
    expect(await store.revenue()).toBe('49.90');
    await store.provide('payments_a', [{ id: 'ch_0000000001', customer: 'ana', value: '49.90', minutes: 2 }]);
    expect(await store.revenue()).toBe('49.90');
  });
});
