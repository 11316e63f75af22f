import { describe, expect, test } from 'vitest';
import { expand, identifier, type Shape, statements } from './template.ts';

const single: Shape = { database: 'tributary' };
const cluster: Shape = { database: 'tributary', cluster: { name: 'shards', nodes: ['http://one', 'http://two'] } };
const replicated: Shape = {
  database: 'tributary',
  cluster: { name: 'shards', nodes: ['http://one'], replicated: true },
};

describe('expand, for a single node and a cluster', () => {
  test.each([
    ['{{local visits}}', single, 'visits'],
    ['{{local visits}}', cluster, 'visits_local'],
    ['{{engine ReplacingMergeTree}}', single, 'ReplacingMergeTree'],
    ['{{engine ReplacingMergeTree(version, is_deleted)}}', cluster, 'ReplacingMergeTree(version, is_deleted)'],
    [
      '{{engine ReplacingMergeTree}}',
      replicated,
      "ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')",
    ],
    [
      '{{engine ReplacingMergeTree(version, is_deleted)}}',
      replicated,
      "ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', version, is_deleted)",
    ],
    ['{{distributed visits by cityHash64(profile_id)}}', single, ''],
    [
      '{{distributed visits by cityHash64(profile_id)}}',
      cluster,
      "CREATE TABLE IF NOT EXISTS visits AS visits_local ENGINE = Distributed('shards', 'tributary', 'visits_local', cityHash64(profile_id))",
    ],
  ])('%s', (text, shape, written) => {
    expect(expand(text, shape)).toBe(written);
  });

  test('leaves ClickHouse query parameters unchanged', () => {
    const text = "SELECT {profile_id:UUID}, {at:DateTime64(3, 'UTC')} FROM {{local visits}}";
    expect(expand(text, cluster)).toBe("SELECT {profile_id:UUID}, {at:DateTime64(3, 'UTC')} FROM visits_local");
  });

  test('alters the local table before the distributed table', () => {
    const text = 'ALTER TABLE {{every visits}} ADD COLUMN IF NOT EXISTS a UInt8; SELECT 1';
    const added = (table: string) => `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS a UInt8`;
    expect(statements(text, single)).toEqual([added('visits'), 'SELECT 1']);
    expect(statements(text, cluster)).toEqual([added('visits_local'), added('visits'), 'SELECT 1']);
  });

  test.each(['{{visits}}', '{{table visits}}', '{{distributed visits}}', '{{local drop table; --}}'])(
    '%s throws',
    (text) => {
      expect(() => expand(text, cluster)).toThrow();
    },
  );
});

describe('statements', () => {
  test('a semicolon in a comment or a string does not end a statement', () => {
    const text = `-- first; of two\nSELECT ';', 'it\\'s; fine', 1 - 1;\nSELECT 2 -- the end;\n`;
    expect(statements(text, single)).toEqual([
      "-- first; of two\nSELECT ';', 'it\\'s; fine', 1 - 1",
      'SELECT 2 -- the end;',
    ]);
  });

  test('empty statements and comments are not sent', () => {
    expect(statements('SELECT 1;\n\n;-- bye;\n{{distributed visits by x}};', single)).toEqual(['SELECT 1']);
  });
});

test.each(['tributary', '_a1', 'test_0f'])('%s is a valid identifier', (name) => expect(identifier(name)).toBe(name));
test.each(['', '1a', 'a-b', 'a;b', "a'b", 'a.b', 'é'])('"%s" is not a valid identifier', (name) =>
  expect(() => identifier(name)).toThrow(/letters, digits and underscores/),
);
