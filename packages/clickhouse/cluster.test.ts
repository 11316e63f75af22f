import { randomBytes } from 'node:crypto';
import { Supervisor } from '@tributary/engines';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBatchWriter } from './batch-writer.ts';
import { type ClickHouse, createClickHouse } from './client.ts';
import { cloneTables } from './copy-tables.ts';
import { loadPartitions } from './load-tables.ts';
import { migrate, readMigrations } from './migrate.ts';
import { connectEveryNode } from './nodes.ts';
import { raw } from './queries.ts';
import { dumpSchema } from './schema.ts';
import type { ClickHouseSettings } from './settings.ts';
import type { VisitRow } from './tables.ts';
import { visit } from './visit.fixture.ts';

/** Two servers of our own, so that killing one does not affect other tests. */
const run = randomBytes(4).toString('hex');
const sets = [1, 2].map((shard) => new Supervisor(`test-shard-${shard}-${run}`));
const march = { from: new Date('2026-03-01T00:00:00Z'), to: new Date('2026-04-01T00:00:00Z') };

let failedInserts = 0;
let settings: ClickHouseSettings;
let client: ClickHouse;
let shards: [ClickHouse, ClickHouse];
/** One profile on each shard. */
let profiles: [string, string];

beforeAll(async () => {
  await sets[0]?.joinClickHouse(sets.slice(1));
  const addresses = await Promise.all(sets.map((set) => set.start(['clickhouse'])));
  const nodes = addresses.map(({ CLICKHOUSE_URL }) => CLICKHOUSE_URL as string);
  settings = { url: nodes[0] as string, database: 'tributary', cluster: { name: 'tributary', nodes } };
  expect(await migrate(settings)).toEqual({ applied: readMigrations().map(({ name }) => name) });
  client = createClickHouse({
    ...settings,
    observe: ({ statement, error }) => {
      if (statement === 'insert visits' && error) failedInserts += 1;
    },
  });
  shards = connectEveryNode(settings) as [ClickHouse, ClickHouse];
  profiles = [await profileOf(0), await profileOf(1)];
});

afterAll(async () => {
  await Promise.allSettled([client, ...(shards ?? [])].map((each) => each?.close()));
  await Promise.all(sets.map((set) => set.destroy()));
});

const profileOf = async (shard: number) => {
  const query = raw<{ id: string }>(
    'SELECT generateUUIDv4() AS id FROM numbers(100) WHERE cityHash64(id) % 2 = {shard:UInt8} LIMIT 1',
  );
  return (await client.query(query, { shard }))[0]?.id as string;
};
const countOnShard = async (shard: ClickHouse, profile_id: string) => {
  const query = raw<{ n: string }>('SELECT count() AS n FROM visits_local WHERE profile_id = {profile_id:UUID}');
  return Number((await shard.query(query, { profile_id }))[0]?.n);
};
const counted = async (from: ClickHouse, profile_id: string) =>
  Number((await from.query('visit_count', { profile_id, ...march }))[0]?.visits);
const write = async (rows: VisitRow[]) => {
  const writer = createBatchWriter({ client, table: 'visits', maxWaitMs: 0 });
  await writer.add(rows);
};

describe('two shards', () => {
  test('one batch is routed to the shard of each profile and can be read from either node', async () => {
    const [a, b] = [await profileOf(0), await profileOf(1)];
    await write([visit({ profile_id: a }), visit({ profile_id: b }), visit({ profile_id: b })]);
    expect([await countOnShard(shards[0], a), await countOnShard(shards[0], b)]).toEqual([1, 0]);
    expect([await countOnShard(shards[1], a), await countOnShard(shards[1], b)]).toEqual([0, 2]);
    const all = raw('SELECT count() AS n FROM visits WHERE profile_id IN {ids:Array(UUID)}');
    for (const node of shards) {
      expect([await counted(node, a), await counted(node, b)]).toEqual([1, 2]);
      expect(await node.query(all, { ids: [a, b] })).toEqual([{ n: '3' }]);
    }
  });

  test('a batch sent twice with different cuts counts once, and a retried batch is not written again', async () => {
    const [a, b] = [await profileOf(0), await profileOf(1)];
    for (const shard of shards) await shard.command(raw('SYSTEM STOP MERGES visits_local'), {});
    const rows = Array.from({ length: 100 }, (_, index) => visit({ profile_id: index % 2 ? a : b }));
    await write(rows.slice(0, 60));
    await write(rows.slice(0, 30));
    await write(rows.slice(30));
    expect([await countOnShard(shards[0], a), await countOnShard(shards[1], b)]).toEqual([80, 80]);
    expect([await counted(client, a), await counted(client, b)]).toEqual([50, 50]);
    for (const _ of [1, 2]) await client.insert('visits', rows, { token: 'the same' });
    expect([await countOnShard(shards[0], a), await countOnShard(shards[1], b)]).toEqual([130, 130]);
    for (const shard of shards) await shard.command(raw('SYSTEM START MERGES visits_local'), {});
  });

  test('tables are joined shard by shard', async () => {
    await write(profiles.map((profile_id) => visit({ profile_id })));
    // Counts distinct ids, not rows: merges fold the copies of the tests before at any time.
    const joined = raw(
      'SELECT uniqExact(visit_id) AS n FROM visits WHERE (profile_id, visit_id) IN (SELECT profile_id, visit_id FROM visits)',
    );
    const all = raw('SELECT uniqExact(visit_id) AS n FROM visits');
    expect(await client.query(joined, {})).toEqual(await client.query(all, {}));
  });

  test('a profile’s newest visits, its daily counts and its state are the same from either node', async () => {
    const [profile_id, visitor_id] = [await profileOf(1), crypto.randomUUID()];
    const rows = [1, 2, 3].map((day) =>
      visit({
        profile_id,
        visitor_id,
        occurred_at: `2026-03-0${day}T12:00:00.000Z`,
        received_at: `2026-03-0${day}T12:00:01.000Z`,
      }),
    );
    await write(rows);
    for (const node of shards) {
      const newest = await node.query('visit_list_recent', {
        profile_id,
        since: march.from,
        before_at: march.to,
        before_id: visitor_id,
        event_type: 'page_view',
        include_bots: false,
        limit: 2,
      });
      expect(newest.map((row) => row.visit_id)).toEqual([rows[2]?.visit_id, rows[1]?.visit_id]);
      const days = await node.query('visit_count_daily', {
        profile_id,
        time_zone: 'UTC',
        ...march,
        linked: [visitor_id],
        sample_through: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
      });
      expect(days.map((row) => [row.day, row.visits, row.sampled_unmatched])).toEqual([
        ['2026-03-01', '1', '0'],
        ['2026-03-02', '1', '0'],
        ['2026-03-03', '1', '0'],
      ]);
      expect(await node.query('profile_read_state', { profile_id })).toMatchObject([
        { visits: '3', touches: '0', touches_parts: '0', newest_received_at: '2026-03-03T12:00:01.000Z' },
      ]);
    }
  });
});

describe('the schema', () => {
  test('has the single-node definition for local tables, and a Distributed table over them', async () => {
    const dump = await dumpSchema(client);
    expect(dump).toContain('CREATE TABLE visits_local\n');
    expect(dump).toContain("ENGINE = Distributed('{cluster}', '{database}', 'visits_local', cityHash64(profile_id))");
    expect(await dumpSchema(shards[1])).toBe(dump);
    expect(await migrate(settings)).toEqual({ applied: [] });
  });

  test('a later column is added to both tables of every shard', async () => {
    const later = { name: '9001_a', sql: 'ALTER TABLE {{every visits}} ADD COLUMN IF NOT EXISTS a UInt8 DEFAULT 7;' };
    const own = { ...settings, database: 'later' };
    await migrate(own);
    const after = createClickHouse(own);
    await after.insert(
      'visits',
      profiles.map((profile_id) => visit({ profile_id })),
    );
    await migrate(own, { migrations: [...readMigrations(), later] });
    expect(await after.query(raw('SELECT a FROM visits'), {})).toEqual([{ a: 7 }, { a: 7 }]);
    await after.close();
  });

  test('a single node becomes a cluster by the steps in the README', async () => {
    const { cluster: _, ...single } = { ...settings, database: 'grown' };
    await migrate(single);
    const alone = createClickHouse(single);
    await alone.insert(
      'visits',
      profiles.map((profile_id) => visit({ profile_id })),
    );
    const grown = { ...single, cluster: settings.cluster } as ClickHouseSettings;
    await expect(migrate(grown)).rejects.toThrow('was made for a single node');
    for (const statement of ['RENAME TABLE visits TO visits_before', 'TRUNCATE TABLE schema_migrations']) {
      await alone.command(raw(statement), {});
    }
    await migrate(grown);
    const spread = createClickHouse(grown);
    await spread.command(raw('INSERT INTO visits SELECT * FROM visits_before'), {});
    const [, second] = connectEveryNode(grown) as [ClickHouse, ClickHouse];
    expect([await countOnShard(spread, profiles[0]), await countOnShard(spread, profiles[1])]).toEqual([1, 0]);
    expect([await countOnShard(second, profiles[0]), await countOnShard(second, profiles[1])]).toEqual([0, 1]);
    await Promise.all([alone, spread, second].map((each) => each.close()));
  });
});

describe('copying tables', () => {
  const copy = async (from: ClickHouseSettings, to: ClickHouseSettings, more = 0) => {
    await migrate(to);
    const clones = await cloneTables(from);
    try {
      await clones.take();
      const partitions = await clones.partitions();
      await loadPartitions(
        to,
        partitions.map((one) => ({ ...one, rows: one.rows + more })),
        (one) => clones.read(one),
      );
      return partitions;
    } finally {
      await clones.drop();
    }
  };
  const summed = async (store: ClickHouseSettings) => {
    const query = createClickHouse(store);
    const of = (table: string) =>
      query.query(raw(`SELECT count() AS n, sum(cityHash64(*)) AS hash FROM ${table} FINAL`), {});
    const sums = [await of('visits'), await of('clicked_entities')];
    await query.close();
    return sums;
  };

  test('restores two shards into a single node, and that into two shards', async () => {
    await write(profiles.map((profile_id) => visit({ profile_id, platform: 'social_ads', ad_external_id: 'film' })));
    const { cluster: _, ...single } = { ...settings, database: 'copied' };
    const spread = { ...settings, database: 'spread_again' };
    const partitions = await copy(settings, single);
    expect(new Set(partitions.map(({ node }) => node))).toEqual(new Set([0, 1]));
    expect(await summed(single)).toEqual(await summed(settings));
    await copy(single, spread);
    expect(await summed(spread)).toEqual(await summed(settings));
    const [first, second] = connectEveryNode(spread) as [ClickHouse, ClickHouse];
    expect([await countOnShard(first, profiles[1]), await countOnShard(second, profiles[0])]).toEqual([0, 0]);
    await Promise.all([first.close(), second.close()]);
  });

  test('rejects a copy whose row count differs', async () => {
    const { cluster: _, ...single } = { ...settings, database: 'miscounted' };
    await expect(copy(settings, single, 1)).rejects.toThrow('is not as it was');
  });
});

describe('with one shard down', () => {
  test('the other shard answers for its profiles, and a batch for both is stored once when the shard is back', async () => {
    const [here, there] = [await profileOf(0), await profileOf(1)];
    await write([visit({ profile_id: here }), visit({ profile_id: there })]);
    failedInserts = 0;
    await sets[1]?.kill('clickhouse');
    expect(await counted(client, here)).toBe(1);
    await expect(counted(client, there)).rejects.toMatchObject({ transient: true });
    const stored = write([visit({ profile_id: here }), visit({ profile_id: there })]);
    await expect.poll(() => failedInserts).toBeGreaterThan(1);
    await sets[1]?.start(['clickhouse']);
    await stored;
    expect([await countOnShard(shards[0], here), await countOnShard(shards[1], there)]).toEqual([2, 2]);
    expect(await counted(client, there)).toBe(2);
  });
});
