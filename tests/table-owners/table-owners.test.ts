import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findViolations, type TableOwnership } from './table-owners.ts';
import { tablesIn } from './tables-in.ts';

describe('the tables of a source', () => {
  test.each([
    ['SELECT 1 FROM outcomes o WHERE o.id = 1', ['outcomes']],
    ['FROM a, b AS x, c WHERE', ['a', 'b', 'c']],
    ['LEFT JOIN LATERAL (SELECT 1 FROM visits) v ON true', ['visits']],
    ['INSERT INTO merges (id) SELECT id FROM customers', ['merges', 'customers']],
    ['UPDATE outcomes SET a = 1 FROM payments p', ['outcomes', 'payments']],
    ['DELETE FROM a USING b', ['a', 'b']],
    ['jsonb_populate_recordset(NULL::outcomes, $1)', ['outcomes']],
    ["tx.selectFrom('profiles as p').innerJoin('members', 'a', 'b')", ['profiles', 'members']],
    ["tx\n  .selectFrom(['a', 'b as c'])", ['a', 'b']],
    ["clickhouse.insertText('touches', columns, rows)", ['touches']],
    ["dropPartition(clickhouse, 'attribution_results', version)", ['attribution_results']],
  ])('%s', (source, tables) => {
    expect([...tablesIn(source)].sort()).toEqual([...tables].sort());
  });

  test.each([
    ['// FROM outcomes'],
    ['/** Reads FROM outcomes. */'],
    ['SELECT 1 -- FROM outcomes'],
    ["'what came from outcomes'"],
  ])('none in %s', (source) => {
    expect([...tablesIn(source)]).toEqual([]);
  });
});

describe('table ownership', () => {
  const ownership: TableOwnership = {
    owners: { outcomes: 'outcomes', visits: 'ingestion', keys: 'packages/vault' },
    exceptions: [{ module: 'ingestion', tables: ['outcomes'], reason: 'Marks outcomes.' }],
  };
  let root: string;
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'table-owners-'));
    write('packages/clickhouse/schema.sql', 'CREATE TABLE visits\n(\n');
    write('packages/clickhouse/queries/report_read.sql', 'SELECT 1 FROM {{part seen by model of choice}}');
    write('packages/clickhouse/parts/seen_first.sql', '{{part all}}');
    write('packages/clickhouse/parts/all.sql', 'SELECT 1 FROM visits');
    write('packages/vault/ring.ts', "tx.selectFrom('keys')");
    write('domain/commerce/outcomes/store.ts', "tx.selectFrom('outcomes')");
    write('domain/traffic/ingestion/mark.ts', "sql`UPDATE outcomes SET a = 1`; clickhouse.insert('visits', rows)");
  });
  afterEach(() => rmSync(root, { recursive: true }));

  test('accepts tables of the module and listed exceptions', () => {
    expect(findViolations(root, ownership).lines).toEqual([]);
  });

  test.each([
    ['domain/measurement/reports/store.ts', 'sql`SELECT 1 FROM outcomes`', 'uses outcomes of outcomes'],
    ['domain/measurement/reports/all.sql', 'SELECT 1 FROM outcomes', 'uses outcomes of outcomes'],
    ['domain/measurement/reports/read.ts', "clickhouse.query('report_read', {})", 'uses visits of ingestion'],
    ['packages/operations/ring.ts', "tx.deleteFrom('keys')", 'uses keys of packages/vault'],
    ['apps/api/main.ts', "tx.selectFrom('outcomes')", 'apps call modules instead'],
    ['apps/api/main.ts', "import { sql } from 'kysely';", 'apps call modules instead'],
    [
      'packages/clickhouse/schema.sql',
      'CREATE TABLE visits\n(\nCREATE TABLE orphans\n(',
      'orphans of ClickHouse has no owner',
    ],
    [
      'domain/traffic/ingestion/mark.ts',
      "clickhouse.insert('visits', rows)",
      'does not use outcomes: remove the exception',
    ],
  ])('reports %s: %s', (file, text, words) => {
    write(file, text);
    expect(findViolations(root, ownership).lines).toEqual([expect.stringContaining(words)]);
  });

  test('reports an owner that does not exist', () => {
    rmSync(join(root, 'packages/vault'), { recursive: true });
    expect(findViolations(root, ownership).lines).toEqual(['packages/vault owns tables but does not exist.']);
  });
});
