import { Readable } from 'node:stream';
import { raw } from '@tributary/clickhouse';
import { alternate, type Bench, median, openApi, openDrillKit, openWarehouse, scene } from '@tributary/testkit';
import { sql } from 'kysely';
import { v4 as anyUuid } from 'uuid';

const events = 50_000;
const outcomes = 10_000;
const browsers = 40;
const others = 2_000_000;
const rounds = 15;

/** Pages of one long journey over both stores, in a profile with many other visits. */
export const bench: Bench = {
  name: 'journeys',
  question:
    'How long does the last page of a journey of 50,000 events take, to one plain statement over its visits alone?',
  better: 'lower',

  async run({ progress }) {
    const kit = await openDrillKit('bench-journeys', ['postgres', 'clickhouse', 'redis']);
    const warehouse = await openWarehouse(kit);
    const api = await openApi(kit);
    try {
      const shop = await scene({ kit, api, clickhouse: warehouse.client });
      const { customerId } = await shop.send({});
      const visitorIds = Array.from({ length: browsers }, () => anyUuid());
      for (const visitorId of visitorIds) await shop.link(visitorId, customerId);
      const columns = [
        'profile_id',
        'visitor_id',
        'visit_id',
        'occurred_at',
        'received_at',
        'event_type',
        'url',
        'path',
      ];
      const lines = Array.from({ length: events - outcomes }, (_, index) => {
        const at = new Date(Date.UTC(2026, 0, 1) + index * 1_000).toISOString().replace('T', ' ').replace('Z', '');
        const place = [`https://shop.example/page/${index}`, `/page/${index}`];
        return `${[shop.profileId, visitorIds[index % browsers], anyUuid(), at, at, 'page_view', ...place].join('\t')}\n`;
      });
      await warehouse.client.insertText('visits', columns, Readable.from([lines.join('')]));
      await warehouse.client.command(
        raw(`INSERT INTO visits (profile_id, visitor_id, visit_id, occurred_at, received_at, event_type, url, path)
          SELECT '${shop.profileId}', generateUUIDv4(), generateUUIDv4(), toDateTime64('2026-01-01 00:00:00', 3, 'UTC') + number % 8000000, now64(3), 'page_view',
            concat('https://shop.example/page/', toString(number)), concat('/page/', toString(number)) FROM numbers(${others})`),
        {},
      );
      await shop.ledger.transaction((tx) =>
        sql`INSERT INTO outcomes (profile_id, id, idempotency_key, event_name, event_type, event_key, event_type_key, customer_id,
            occurred_at, recorded_at, updated_at, rest)
          SELECT ${shop.profileId}, gen_random_uuid(), 'long-' || n, 'visited', 'visited', 'visited', 'visited', ${customerId},
            '2026-01-01T00:00:00.500Z'::timestamptz + n * interval '4 seconds', now(), now(), '{}'
          FROM generate_series(1, ${outcomes - 1}) AS n`.execute(tx),
      );
      const page = (offset: number) => async () => {
        const startedAt = performance.now();
        const { status, body } = await shop.ask(`/api/v1/customers/${customerId}/journey?limit=100&offset=${offset}`);
        if (status !== 200 || body.data.total_count !== events || body.data.events.length !== 100)
          throw new Error(`not the page that was asked for: ${JSON.stringify(body).slice(0, 200)}`);
        return performance.now() - startedAt;
      };
      const plain =
        raw(`SELECT * FROM visits FINAL WHERE profile_id = {profile_id:UUID} AND visitor_id IN {visitor_ids:Array(UUID)}
        ORDER BY occurred_at, visit_id LIMIT 100 OFFSET ${events - outcomes - 100}`);
      const bare = async () => {
        const startedAt = performance.now();
        const rows = await warehouse.client.query(plain, { profile_id: shop.profileId, visitor_ids: visitorIds });
        if (rows.length !== 100) throw new Error('not the rows that were asked for');
        return performance.now() - startedAt;
      };
      const offsets = [0, events / 2, events - 100];
      const figures: Record<number, { best: number; median: number; slowest: number }> = {};
      let ratio = 0;
      for (const [index, offset] of offsets.entries()) {
        const sides = await alternate(rounds, page(offset), bare, (round) =>
          progress(index * (rounds + 1) + round, offsets.length * (rounds + 1)),
        );
        figures[offset] = {
          best: Math.round(Math.min(...sides.ours)),
          median: Math.round(median(sides.ours)),
          slowest: Math.round(Math.max(...sides.ours)),
        };
        ratio = median(sides.ours) / median(sides.bare);
      }
      return { ratio: Math.round(ratio * 1_000) / 1_000, page_ms_by_offset: figures, events, browsers, others, rounds };
    } finally {
      await api.close();
      await warehouse.drop();
      await kit.close();
    }
  },
};
