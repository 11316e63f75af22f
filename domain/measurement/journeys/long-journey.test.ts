import { Readable } from 'node:stream';
import { raw } from '@tributary/clickhouse';
import { openTestWithClickHouse, scene } from '@tributary/testkit';
import { sql } from 'kysely';
import { v4 as anyUuid } from 'uuid';
import { expect, test } from 'vitest';

const world = await openTestWithClickHouse();
const { clickhouse } = world;
const shop = await scene(world);

/** A customer with one visit a second, alternating between their browsers. */
async function openVisitor(name: string, visits: number, browsers: number): Promise<string> {
  const { customerId } = await shop.send({ user_traits: { external_id: name } });
  const ids = Array.from({ length: browsers }, () => anyUuid());
  await shop.ledger.transaction((tx) =>
    sql`INSERT INTO visitor_links (profile_id, visitor_id, customer_id, source, linked_at)
      SELECT ${shop.profileId}, id, ${customerId}, 'identify', now() FROM unnest(${ids}::uuid[]) AS id`.execute(tx),
  );
  const columns = ['profile_id', 'visitor_id', 'visit_id', 'occurred_at', 'received_at', 'event_type'];
  const lines = Array.from({ length: visits }, (_, index) => {
    const at = new Date(Date.UTC(2026, 0, 1) + index * 1_000).toISOString().replace('T', ' ').replace('Z', '');
    return `${[shop.profileId, ids[index % browsers], anyUuid(), at, at, 'page_view'].join('\t')}\n`;
  });
  await clickhouse.insertText('visits', columns, Readable.from([lines.join('')]));
  return customerId;
}

const timesOf = (body: { data: { events: { event_time: string }[] } }) => body.data.events.map((one) => one.event_time);

test('pages through a journey of 50,000 events at any depth, within a larger profile', async () => {
  const customerId = await openVisitor('long', 40_000, 40);
  await clickhouse.command(
    raw(`INSERT INTO visits (profile_id, visitor_id, visit_id, occurred_at, received_at, event_type)
      SELECT '${shop.profileId}', generateUUIDv4(), generateUUIDv4(), toDateTime64('2026-02-01 00:00:00', 3, 'UTC') + number, now64(3), 'page_view'
      FROM numbers(300000)`),
    {},
  );
  await shop.ledger.transaction((tx) =>
    sql`INSERT INTO outcomes (profile_id, id, idempotency_key, event_name, event_type, event_key, event_type_key, customer_id,
        occurred_at, recorded_at, updated_at, rest)
      SELECT ${shop.profileId}, gen_random_uuid(), 'long-' || n, 'visited', 'visited', 'visited', 'visited', ${customerId},
        '2026-01-01T00:00:00.500Z'::timestamptz + n * interval '4 seconds', now(), now(), '{}'
      FROM generate_series(1, 9999) AS n`.execute(tx),
  );
  for (const offset of [0, 100, 25_000, 40_000, 49_900]) {
    // "npm run bench -- journeys" measures the duration.
    const { body } = await shop.ask(`/api/v1/customers/${customerId}/journey?limit=100&offset=${offset}`);
    expect(body.data.total_count).toBe(50_000);
    expect(body.data.events).toHaveLength(100);
    expect(timesOf(body)).toEqual(timesOf(body).toSorted());
  }
});

test('a customer with more browsers than fit one query has a complete journey in one order', async () => {
  const customerId = await openVisitor('many browsers', 5_000, 2_500);
  const url = `/api/v1/customers/${customerId}/journey`;
  const seen: string[] = [];
  for (let offset = 0; offset < 5_001; offset += 1_000) {
    for (const [start, limit] of [
      [0, 100],
      [100, 3],
    ]) {
      const { body } = await shop.ask(`${url}?limit=${limit}&offset=${offset + (start ?? 0)}`);
      expect(body.data.total_count).toBe(5_001);
      seen.push(...timesOf(body));
    }
  }
  expect(seen).toEqual(seen.toSorted());
  expect(new Set(seen).size).toBe(5 * 103 + 1);
});
