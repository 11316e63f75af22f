import { auditEntries, buildMember, openTestWithClickHouse } from '@tributary/testkit';
import { v7 as uuid } from 'uuid';
import { beforeEach, describe, expect, test } from 'vitest';
import { openStore } from './sales.fixture.ts';

const world = await openTestWithClickHouse();
let store: Awaited<ReturnType<typeof openStore>>;
beforeEach(async () => {
  store = await openStore(world);
});

/**
 * The same customer and amount in both sources. One match is too few for a systematic overlap, so it is a suggestion.
 */
async function suggest(n = 1) {
  for (let index = 0; index < n; index += 1) await store.serve(`server-${index}`, `c${index}`, '10.00', index * 60);
  const charges = Array.from({ length: n }, (_, index) => ({ index, value: '10.00', minutes: index * 60 + 1 }));
  await store.provide(
    'payments_a',
    charges.map(({ index, ...charge }) => ({ id: `ch_000${index}`, customer: `c${index}`, ...charge })),
  );
  await store.attribute();
  return (await store.matches())[0]?.id as string;
}
/** An automatic match: both records carry the same reference. */
async function matchByReference() {
  await store.serve('order-1', 'ana', '49.90', 0, { payment_id: 'ch_0000000001' });
  await store.provide('payments_a', [{ id: 'ch_0000000001', customer: 'ana', value: '49.90', minutes: 2 }]);
  await store.attribute();
  return (await store.matches())[0]?.id as string;
}
const post = (path: string, body?: object) => store.answerOf('POST', path, body);

describe('GET /sale-matches', () => {
  test('lists a match with both records, the evidence and which record counts', async () => {
    await matchByReference();
    expect(await store.matches()).toEqual([
      {
        id: expect.any(String),
        state: 'automatic',
        evidence: 'reference',
        reference: 'ch_0000000001',
        seconds_apart: 120,
        is_certain: true,
        is_pending: false,
        decision: null,
        records: [
          {
            id: expect.any(String),
            provider: 'manual',
            external_id: 'order-1',
            amount: '49.90',
            currency: 'USD',
            paid_at: '2026-05-10T12:00:00.000Z',
            counted: false,
            not_counted_because: 'duplicate',
            source: 'api',
            connection_id: null,
          },
          expect.objectContaining({
            provider: 'payments_a',
            external_id: 'ch_0000000001',
            counted: true,
            not_counted_because: null,
            source: 'payments_a',
          }),
        ],
      },
    ]);
  });

  test('filters by state, evidence, certainty and sources, and pages by cursor', async () => {
    await suggest(3);
    const count = async (query: Record<string, string>) => (await store.matches(query)).length;
    expect(await count({ state: 'suggested', evidence: 'customer', is_certain: 'false' })).toBe(3);
    expect(await count({ state: 'automatic' })).toBe(0);
    expect(await count({ evidence: 'reference' })).toBe(0);
    expect(await count({ is_certain: 'true' })).toBe(0);
    expect(await count({ source: 'payments_a' })).toBe(3);
    expect(await count({ source: 'payments_a', other_source: 'api' })).toBe(3);
    expect(await count({ source: 'api', other_source: 'import' })).toBe(0);
    const all = (await store.matches()).map(({ id }) => id);
    const { body: first } = await store.answerOf('GET', '/sale-matches?limit=2');
    const { body: rest } = await store.answerOf('GET', `/sale-matches?limit=2&cursor=${first.pagination.cursor}`);
    expect([first.pagination.has_next, rest.pagination.has_next]).toEqual([true, false]);
    expect([...first.data, ...rest.data].map(({ id }: { id: string }) => id)).toEqual(all);
  });

  test('returns no match of another profile', async () => {
    await matchByReference();
    const other = await openStore(world);
    expect(await other.matches()).toEqual([]);
    expect(await other.matches({ source: 'payments_a' })).toEqual([]);
  });
});

describe('a decision on a match', () => {
  test('confirms a suggestion, so the sale counts once, and undo restores the previous state', async () => {
    const id = await suggest();
    const before = await store.matches();
    expect(await store.revenue()).toBe('20.00');
    const { status, body } = await post(`/sale-matches/${id}/confirm`);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      outcome: 'applied',
      match: { state: 'confirmed', is_pending: true, decision: { decision: 'confirmed', actor_kind: 'api_key' } },
      undo: { method: 'POST', path: `/api/v1/sale-matches/${id}/undo`, body: null },
    });
    expect(await store.matches({ state: 'suggested' })).toEqual([]);
    expect(await store.revenue()).toBe('10.00');
    expect(await store.matches({ state: 'confirmed' })).toMatchObject([{ is_pending: false }]);
    expect((await post(`/sale-matches/${id}/confirm`)).body.data).toMatchObject({ outcome: 'no_change', undo: null });
    expect((await store.sendUndo(body.data)).body.data.outcome).toBe('applied');
    expect(await store.revenue()).toBe('20.00');
    expect(await store.matches()).toEqual(before.map((match) => ({ ...match, id: expect.any(String) })));
    expect((await post(`/sale-matches/${id}/undo`)).body.data.outcome).toBe('no_change');
  });

  test('rejects an automatic match, so both records count, and new records never restore it', async () => {
    const id = await matchByReference();
    expect(await store.revenue()).toBe('49.90');
    const { body } = await post(`/sale-matches/${id}/reject`);
    expect(await store.revenue()).toBe('99.80');
    // The same payments are reported again with corrections, together with new ones.
    await store.serve('order-1', 'ana', '49.90', 1, { payment_id: 'ch_0000000001', note: 'corrected' });
    await store.serve('order-2', 'ana', '10.00', 3, { payment_id: 'ch_0000000001' });
    await store.provide('payments_a', [{ id: 'ch_0000000009', customer: 'ana', value: '5.00', minutes: 2 }]);
    expect(await store.revenue()).toBe('104.80');
    const of = (match: { records: readonly { external_id: string }[] }) =>
      match.records.map(({ external_id }) => external_id).join();
    const rejected = (await store.matches()).filter((match) => of(match) === 'order-1,ch_0000000001');
    expect(rejected).toMatchObject([{ state: 'rejected', decision: { decision: 'rejected' } }]);
    await store.sendUndo(body.data);
    expect(await store.revenue()).toBe('64.90');
  });

  test('restores the previous state when a rejection is undone', async () => {
    const id = await matchByReference();
    const [before, payments] = [await store.matches(), await store.payments()];
    const { body } = await post(`/sale-matches/${id}/reject`);
    expect((await store.payments()).map(({ counted }) => counted)).toEqual([true, false]);
    expect(await store.revenue()).toBe('99.80');
    await store.sendUndo(body.data);
    expect(await store.revenue()).toBe('49.90');
    expect(await store.matches()).toEqual(before.map((match) => ({ ...match, id: expect.any(String) })));
    expect(await store.payments()).toEqual(payments);
  });

  test('returns 409 for a confirmation that would put two records of one source into a sale', async () => {
    await store.serve('one', 'ana', '10.00', 0, { order_id: 'A-10001001' });
    await store.provide('payments_a', [{ id: 'ch_1', customer: 'ana', value: '10.00', minutes: 1 }]);
    await store.attribute();
    const [match] = await store.matches();
    await post(`/sale-matches/${match?.id}/confirm`);
    await store.provide('store', [
      { id: '#A-10001001', customer: 'bo', value: '10.00', minutes: 3 },
      { id: '#A-10001002', customer: 'ana', value: '10.00', minutes: 1 },
    ]);
    await store.attribute();
    const between = async (one: string, other: string) => {
      const pair = [one, other].toSorted().join();
      return (await store.matches()).find(
        ({ records }) =>
          records
            .map(({ external_id }) => external_id)
            .toSorted()
            .join() === pair,
      );
    };
    const [byReference, byCustomer] = [await between('one', '#A-10001001'), await between('ch_1', '#A-10001002')];
    expect([byReference?.state, byCustomer?.state]).toEqual(['automatic', 'suggested']);
    expect((await post(`/sale-matches/${byReference?.id}/confirm`)).status).toBe(200);
    const { status, body } = await post(`/sale-matches/${byCustomer?.id}/confirm`);
    expect([status, body.error.code]).toEqual([409, 'invalid_state']);
    const kind = { decision: 'confirmed', source: 'payments_a', other_source: 'store' };
    const { body: batch } = await post('/sale-matches/decisions', kind);
    expect(batch.data).toMatchObject({ outcome: 'no_change', matches: 0, skipped: 1 });
    expect(await store.revenue()).toBe('20.00');
  });

  test('adds an audit entry with the pair and the previous decision', async () => {
    const id = await suggest();
    await post(`/sale-matches/${id}/reject`);
    await post(`/sale-matches/${id}/reject`);
    const entries = await auditEntries(world.kit, { workspaceId: store.workspaceId });
    expect(entries.filter(({ action }) => action.startsWith('sale_match'))).toMatchObject([
      { action: 'sale_match.rejected', target: `sale_match:${id}`, detail: { before: null } },
    ]);
  });

  test('requires attribution:write, or a member who may write', async () => {
    const id = await suggest();
    const reader = await store.keyWith('commerce:read');
    const confirm = (headers: Record<string, string>) =>
      store.ask(`/api/v1/sale-matches/${id}/confirm`, headers, 'POST');
    expect(await confirm(reader)).toMatchObject({ status: 403, body: { error: { code: 'insufficient_scope' } } });
    expect((await store.ask('/api/v1/sale-matches', reader)).status).toBe(200);
    expect((await store.ask('/api/v1/sale-matches', await store.keyWith('attribution:write'))).status).toBe(403);
    expect((await store.ask('/api/v1/sale-matches', {})).status).toBe(401);
    const { profileId, workspaceId } = store;
    const ours = { origin: 'https://tributary.test', 'content-type': 'application/json' };
    const viewer = await buildMember(world.kit.app, workspaceId, 'viewer');
    const asViewer = await confirm({ ...viewer.headers({ profileId }), ...ours });
    expect([asViewer.status, asViewer.body.error.code]).toEqual([403, 'insufficient_scope']);
    const owner = await buildMember(world.kit.app, workspaceId, 'owner');
    const { body } = await confirm({ ...owner.headers({ profileId }), ...ours });
    expect(body.data.match.decision).toMatchObject({ actor_kind: 'user', actor_id: owner.userId });
  });

  test.each(['confirm', 'reject', 'undo'])(
    '%s returns 404 for another profile’s match as for an unknown one',
    async (action) => {
      const id = await suggest();
      const other = await openStore(world);
      const [foreign, unknown, malformed] = [
        await other.answerOf('POST', `/sale-matches/${id}/${action}`),
        await other.answerOf('POST', `/sale-matches/${uuid()}/${action}`),
        await other.answerOf('POST', `/sale-matches/x/${action}`),
      ];
      expect([foreign.status, unknown.status, malformed.status]).toEqual([404, 404, 404]);
      expect(foreign.body.error.message).toBe(unknown.body.error.message);
    },
  );
});

describe('POST /sale-matches/decisions', () => {
  const kind = { decision: 'confirmed', source: 'payments_a', other_source: 'api', evidence: 'customer' };

  test('reports counts in a dry run, decides the remaining matches, and is undone as a whole', async () => {
    const single = await suggest(5);
    const before = await store.matches();
    await post(`/sale-matches/${single}/reject`);
    expect(await store.revenue()).toBe('100.00');
    expect((await post('/sale-matches/decisions?dry_run=true', kind)).body.data).toEqual({
      id: null,
      outcome: 'dry_run',
      decision: 'confirmed',
      matches: 4,
      skipped: 0,
      has_more: false,
      undo: null,
    });
    expect(await store.revenue()).toBe('100.00');
    const { body } = await post('/sale-matches/decisions', kind);
    expect(body.data).toMatchObject({ outcome: 'applied', matches: 4, has_more: false });
    expect(await store.revenue()).toBe('60.00');
    expect(await store.matches({ state: 'confirmed' })).toHaveLength(4);
    expect((await post('/sale-matches/decisions', kind)).body.data).toMatchObject({ outcome: 'no_change', id: null });
    // A decision that a member changed afterwards stays.
    const [changed] = await store.matches({ state: 'confirmed' });
    expect(changed?.decision?.batch_id).toBe(body.data.id);
    await post(`/sale-matches/${changed?.id}/reject`);
    expect((await store.sendUndo(body.data)).body.data).toMatchObject({ outcome: 'applied', matches: 3 });
    expect((await store.sendUndo(body.data)).body.data).toMatchObject({ outcome: 'no_change', matches: 0 });
    expect(await store.revenue()).toBe('100.00');
    expect(await store.matches({ state: 'rejected' })).toHaveLength(2);
    for (const { id } of await store.matches({ state: 'rejected' })) await post(`/sale-matches/${id}/undo`);
    await store.attribute();
    const comparable = (rows: typeof before) =>
      rows.map(({ id: _id, ...match }) => match).toSorted((a, b) => (a.records[0].id < b.records[0].id ? -1 : 1));
    expect(comparable(await store.matches())).toEqual(comparable(before));
  });

  test('rejects the automatic matches that fit a filter', async () => {
    await matchByReference();
    const { body } = await post('/sale-matches/decisions', {
      ...kind,
      decision: 'rejected',
      state: 'automatic',
      evidence: 'reference',
    });
    expect(body.data).toMatchObject({ outcome: 'applied', matches: 1 });
    expect(await store.revenue()).toBe('99.80');
    await store.sendUndo(body.data);
    expect(await store.revenue()).toBe('49.90');
  });

  test('restores the original pairs of an erased customer’s equal purchases when rejections are undone', async () => {
    const minutes = { server: [0, 4.7], charges: [2.7, 7.4] };
    for (const [index, at] of minutes.server.entries()) await store.serve(`server-${index}`, 'ana', '10.00', at);
    const charges = minutes.charges.map((at, index) => ({ id: `ch_000${index}`, customer: 'ana', minutes: at }));
    await store.provide(
      'payments_a',
      charges.map((charge) => ({ ...charge, value: '10.00' })),
    );
    await store.attribute();
    await store.eraseCustomer('ana@example.test');
    await store.attribute();
    const pairs = async () =>
      (await store.matches()).map(({ records }) => records.map(({ id }) => id).toSorted()).toSorted();
    const before = await pairs();
    expect(before).toHaveLength(2);
    const { body } = await post('/sale-matches/decisions', { ...kind, decision: 'rejected' });
    await store.attribute();
    // While the original pairs are rejected, each purchase is suggested as a match of the other charge.
    expect(await store.matches({ state: 'suggested' })).toHaveLength(2);
    await store.sendUndo(body.data);
    await store.attribute();
    expect(await pairs()).toEqual(before);
  });

  test('refuses states that members decided, unknown sources and another profile’s batch', async () => {
    await suggest();
    expect((await post('/sale-matches/decisions', { ...kind, state: 'rejected' })).status).toBe(422);
    expect((await post('/sale-matches/decisions', { ...kind, source: 'store' })).status).toBe(404);
    const { body } = await post('/sale-matches/decisions', kind);
    const other = await openStore(world);
    const [foreign, unknown] = [
      await other.answerOf('POST', `/sale-matches/decisions/${body.data.id}/undo`),
      await other.answerOf('POST', `/sale-matches/decisions/${uuid()}/undo`),
    ];
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    expect(foreign.body.error.message).toBe(unknown.body.error.message);
    expect(await store.revenue()).toBe('10.00');
  });
});
