import { createPublicKey, verify } from 'node:crypto';
import { clearedVisit } from '@tributary/domain/traffic/ingestion';
import { buildMember, testPassword, testRing } from '@tributary/testkit';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { describe, expect, test, vi } from 'vitest';
import { identify, minute, useEveryStore } from './every-store.fixture.ts';
import { signCertificate } from './verify-erasure.ts';

const scene = useEveryStore();
const {
  anaPays,
  browse,
  complete,
  consume,
  drained,
  eraseAna,
  personIds,
  plant,
  replayAll,
  report,
  startAttributing,
  stopAttributing,
  stopConsuming,
  untilDone,
  searchStores,
  visits,
  worked,
} = scene;

/** The stores on a certificate, in search order. */
const everyStore = [
  'postgres outcomes',
  'postgres outcome_totals',
  'postgres dirty_customers',
  'postgres partner_touches',
  'postgres payment_entries',
  'postgres visitor_links',
  'postgres bad_visits',
  'postgres bad_visits, opened',
  'dead letters, opened',
  'clickhouse visits',
  'dead letters of webhooks, opened',
  'postgres idempotent_answers',
  'postgres idempotent_answer_people',
  'postgres idempotent_answers, opened',
  'postgres journey_summaries',
  'postgres journey_summaries, opened',
  'clickhouse attributed_conversions',
  'clickhouse attribution_history',
  'clickhouse attribution_results',
  'clickhouse attribution_conversions',
  'clickhouse attribution_links',
  'clickhouse attribution_touches',
  'postgres outbox',
  'postgres event_log',
  'postgres webhook_deliveries',
  'postgres customers',
  'postgres identifiers',
  'postgres identity_conflicts',
  'postgres kept_apart',
  'postgres merge_proposals',
  'postgres merges',
  'postgres said_together',
  'postgres search_terms',
  'postgres tombstones',
  'postgres erasures',
  'postgres erasure_work',
  'postgres ad_action_entries',
  'redis',
];

describe('an erasure completes', () => {
  test('[eras-014][eras-029] when ClickHouse holds no personal data; reports stay the same, also after a replay', async () => {
    const { customerId } = await anaPays();
    const before = await report();
    expect(before).toMatchObject([{ value: '10001', touch_count: 3 }]);
    expect(await personIds()).toEqual(new Set([customerId]));
    expect((await visits()).some(({ url }) => url.includes('ana'))).toBe(true);

    const erasureId = await eraseAna();
    expect((await scene.shop.read(erasureId)).json().data).toMatchObject({ status: 'queued', completed_at: null });
    await untilDone(erasureId);
    expect((await scene.shop.read(erasureId)).json().data.completed_at).toBe(scene.kit.clock.now().toISOString());

    expect(await report()).toEqual(before);
    const [shell] = await scene.shop.rows<{ id: string }>(sql`SELECT id FROM customers`);
    expect(await personIds()).toEqual(new Set([shell?.id]));
    for (const visit of await visits()) expect(visit).toMatchObject(clearedVisit);
    expect((await visits()).map(({ channel }) => channel)).toContain('paid_search');

    await replayAll();
    expect(await report()).toEqual(before);
    expect(await personIds()).toEqual(new Set([shell?.id]));
    expect(await scene.shop.rows(sql`SELECT FROM erasure_work`)).toEqual([]);
  });

  test('also in a deleted workspace that its owner may still restore', async () => {
    await anaPays();
    await eraseAna();
    const { workspace_id: workspaceId } = (
      await scene.shop.rows<{ workspace_id: string }>(sql`SELECT workspace_id FROM profiles`)
    )[0] as { workspace_id: string };
    const owner = await buildMember(scene.kit.app, workspaceId, 'owner');
    const { statusCode } = await scene.api.fastify.inject({
      method: 'DELETE',
      url: `/api/v1/workspaces/${workspaceId}`,
      headers: { ...owner.headers(), 'content-type': 'application/json' },
      payload: { current_password: testPassword },
    });
    expect(statusCode).toBe(200);
    await vi.waitFor(
      async () => {
        await complete();
        expect(await scene.shop.rows(sql`SELECT status FROM erasures`)).toEqual([{ status: 'done' }]);
      },
      { timeout: 30_000, interval: 200 },
    );
    for (const visit of await visits()) expect(visit).toMatchObject(clearedVisit);
  });

  test('and a search of every store finds nothing; the certificate is signed', async () => {
    await anaPays();
    const erasureId = await eraseAna();
    expect((await searchStores(erasureId)).found).toBeGreaterThan(0);
    await untilDone(erasureId);
    const certificate = await searchStores(erasureId);
    expect(certificate).toMatchObject({
      status: 'done',
      found: 0,
      rows_cleared: { customers: 1, outcomes: 1, visitor_links: 1, visits: 3 },
    });
    expect(Date.parse(certificate.backups_expire_at) - Date.parse(certificate.requested_at)).toBe(35 * 86_400_000);
    const { signature, public_key } = signCertificate(certificate, testRing.eldest().bytes);
    const key = createPublicKey({ key: Buffer.from(public_key, 'base64'), format: 'der', type: 'spki' });
    const isRight = (text: string) => verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'));
    expect(isRight(JSON.stringify(certificate))).toBe(true);
    expect(isRight(JSON.stringify({ ...certificate, found: 1 }))).toBe(false);
    // Planted personal data is found.
    await scene.shop.rows(sql`UPDATE outcomes SET rest = '{"note": "ana@example.cl"}'`);
    expect((await searchStores(erasureId)).found).toBe(1);
  });

  test('and the search finds remains on its own, without relying on what was cleared', async () => {
    const { customerId } = await anaPays();
    const erasureId = await eraseAna();
    await untilDone(erasureId);
    const tables = await plant(customerId);
    await scene.shop.rows(sql`INSERT INTO outbox (id, profile_id, type, payload, occurred_at)
      VALUES (gen_random_uuid(), ${scene.shop.profileId}, 'outcome.recorded', '{"contact": {"email": "ana@example.cl"}}', now())`);
    await scene.shop.rows(sql`UPDATE visitor_links SET moved_from = ${customerId}`);
    const { stores } = await searchStores(erasureId);
    expect(tables).toHaveLength(6);
    expect(stores.flatMap(({ store, found }) => (found > 0 ? [store] : [])).sort()).toEqual([
      ...tables.map((table) => `clickhouse ${table}`),
      'postgres outbox',
      'postgres visitor_links',
    ]);
    expect(stores.map(({ store }) => store)).toEqual(everyStore);
  });

  test('only after the consumer has passed the visits in flight, which are cleared too', async () => {
    const { client } = await anaPays();
    await stopConsuming();
    await browse(client, { url: 'https://shop.example/late/ana' });
    const other = uuid();
    await browse(other, { url: 'https://shop.example/other-browser/ana' }, identify('ana@example.cl'));
    scene.kit.clock.advance(minute);
    const erasureId = await eraseAna();
    await worked();
    expect(await complete()).toBe(0);
    expect((await scene.shop.read(erasureId)).json().data.status).toBe('queued');

    await consume();
    await drained();
    await untilDone(erasureId);
    // The other browser was identified in flight: its visits belong to the shell customer, and no new customer was created.
    expect(await scene.shop.rows(sql`SELECT count(DISTINCT customer_id)::int AS n FROM visitor_links`)).toEqual([
      { n: 1 },
    ]);
    expect(await scene.shop.rows(sql`SELECT FROM identifiers`)).toEqual([]);
    expect(await visits()).toHaveLength(6);
    for (const visit of await visits()) expect(visit).toMatchObject(clearedVisit);
    expect((await searchStores(erasureId)).found).toBe(0);
  });

  test('only after the person’s conversions were attributed again', async () => {
    await anaPays();
    await stopAttributing();
    const erasureId = await eraseAna();
    expect(await complete()).toBe(0);
    expect((await scene.shop.read(erasureId)).json().data.status).toBe('queued');
    startAttributing();
    await untilDone(erasureId);
  });
});

test('clears a browser that is linked to the person during the clearing before the erasure completes', async () => {
  await anaPays();
  await browse(uuid(), { url: 'https://shop.example/other-browser/ana' });
  await drained();
  const other = (await visits()).find(({ url }) => url.includes('other-browser'));
  const erasureId = await eraseAna();
  await worked();
  const { profileId } = scene.shop;
  const signal = AbortSignal.timeout(60_000);
  const batch = await scene.queue().load(profileId, 10, signal);
  expect(batch.items).toHaveLength(1);
  // ClickHouse is already cleared when the lease is renewed.
  const renewLease = async () => {
    await scene.shop.rows(sql`INSERT INTO visitor_links (profile_id, visitor_id, customer_id, source, linked_at)
      SELECT ${profileId}, ${other?.visitor_id}, id, 'identify', ${scene.kit.clock.now()} FROM customers`);
  };
  await scene.queue().work({ key: profileId, ...batch, signal, renewLease });
  expect((await scene.shop.read(erasureId)).json().data.status).toBe('queued');
  await untilDone(erasureId);
  expect(await visits()).toHaveLength(4);
  for (const visit of await visits()) expect(visit).toMatchObject(clearedVisit);
});

test('clears outcomes of a batch that began before the erasure', async () => {
  await anaPays();
  const erasureId = await eraseAna();
  const [shell] = await scene.shop.rows<{ id: string }>(sql`SELECT id FROM customers`);
  await scene.shop.rows(sql`INSERT INTO outcomes (profile_id, id, idempotency_key, event_name, event_type, event_key, event_type_key, customer_id,
    occurred_at, recorded_at, updated_at, rest) SELECT ${scene.shop.profileId}, ${uuid()}, 'visit:late', 'x', 'x', 'x', 'x', ${shell?.id},
    occurred_at, occurred_at, occurred_at, '{"page_url": "https://shop.example/ana"}' FROM outcomes LIMIT 1`);
  await untilDone(erasureId);
  expect(await scene.shop.rows(sql`SELECT rest FROM outcomes WHERE idempotency_key = 'visit:late'`)).toEqual([
    { rest: {} },
  ]);
});
