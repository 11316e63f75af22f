import { globSync } from 'node:fs';
import { join } from 'node:path';
import { raw } from '@tributary/clickhouse';
import { clearedVisit } from '@tributary/domain/traffic/ingestion';
import { createPostgres } from '@tributary/postgres';
import { openTestWithClickHouse } from '@tributary/testkit';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { clickhouseTables, personalDataModules } from './registry.ts';

const { kit, clickhouse } = await openTestWithClickHouse();

/** Column names that could hold personal data. */
const personColumn =
  /customer|person|people|visitor|merged_into|moved_from|loser|survivor|shell|email|phone|first_name|last_name|national|wa_id|address|subject_ref|sealed|^rest$|^terms?$|^url$|referrer|^city$|user_agent|session_id/;

interface Column {
  readonly table: string;
  readonly column: string;
}

async function owned<Row>(statement: ReturnType<typeof sql<Row>>): Promise<readonly Row[]> {
  const owner = createPostgres({ url: kit.database.ownerUrl, poolSize: 1 });
  try {
    return (await owner.unbound.query(statement)).rows;
  } finally {
    await owner.close();
  }
}
const postgresColumns = () =>
  owned(sql<Column>`
    SELECT c.table_name AS "table", c.column_name AS "column" FROM information_schema.columns c
    JOIN information_schema.tables t USING (table_schema, table_name)
    WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'`);
const clickhouseColumns = () =>
  clickhouse.query(
    raw<Column>(`SELECT table, name AS column FROM system.columns WHERE database = currentDatabase()
      AND table IN (SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree')`),
    {},
  );

const inPostgres = personalDataModules.flatMap(({ postgres = {} }) => Object.keys(postgres));
const inClickHouse = personalDataModules.flatMap(({ clickhouse = {} }) => Object.keys(clickhouse));

/** Undeclared tables with a column that could hold personal data. */
const undeclared = (columns: readonly Column[], declared: readonly string[]) => [
  ...new Set(
    columns
      .filter(({ table, column }) => personColumn.test(column) && !declared.includes(table))
      .map(({ table }) => table),
  ),
];

describe('every table with a column that could hold personal data is declared by a module', () => {
  test('in PostgreSQL: an undeclared table is reported', async () => {
    expect(undeclared(await postgresColumns(), inPostgres)).toEqual([]);
    await owned(sql`CREATE TABLE chats (profile_id uuid, customer_id uuid, words text)`);
    expect(undeclared(await postgresColumns(), inPostgres)).toEqual(['chats']);
  });

  test('in ClickHouse: an undeclared table is reported', async () => {
    expect(undeclared(await clickhouseColumns(), inClickHouse)).toEqual([]);
    await clickhouse.command(
      raw('CREATE TABLE chats (profile_id UUID, email String) ENGINE = MergeTree ORDER BY profile_id'),
      {},
    );
    expect(undeclared(await clickhouseColumns(), inClickHouse)).toEqual(['chats']);
  });

  test('and every declared table exists and is declared once', async () => {
    const tables = new Set((await postgresColumns()).map(({ table }) => table));
    expect(inPostgres.filter((table) => !tables.has(table))).toEqual([]);
    expect(new Set(inPostgres).size).toBe(inPostgres.length);
    expect(Object.keys(clickhouseTables)).toEqual(inClickHouse);
  });

  test('and has the column that is declared to hold its owner', async () => {
    const columns = new Set((await postgresColumns()).map(({ table, column }) => `${table}.${column}`));
    for (const [table, held] of personalDataModules.flatMap(({ postgres = {} }) => Object.entries(postgres)))
      if (held.erasure !== 'not a customer') expect(columns, table).toContain(`${table}.${held.owner ?? 'profile_id'}`);
  });
});

test('every ClickHouse column that could hold personal data is the id, cleared, or in a deleted table', async () => {
  const columns = await clickhouseColumns();
  for (const [table, held] of Object.entries(clickhouseTables)) {
    const own = columns.filter((column) => column.table === table).map(({ column }) => column);
    expect(own, table).toContain(held.id);
    if (held.erasure === 'kept' || held.erasure === 'deleted') continue;
    const changed = held.erasure === 'cleared' ? Object.keys(held.columns) : [];
    const left = own.filter((column) => personColumn.test(column) && column !== held.id && !changed.includes(column));
    expect(left, table).toEqual([]);
    // A table with a person_id must be searched by it, not by another id.
    if (own.includes('person_id')) expect(held.id, table).toBe('person_id');
  }
});

test('a cleared visit keeps ids, time, channel, ad, country, region and kind; every other column is cleared', async () => {
  const own = (await clickhouseColumns()).filter(({ table }) => table === 'visits').map(({ column }) => column);
  const unchanged = [
    ...[
      'profile_id',
      'visitor_id',
      'visit_id',
      'occurred_at',
      'received_at',
      'channel',
      'platform',
      'country',
      'region',
    ],
    ...['is_bot', 'event_type', 'is_session_start', 'campaign_external_id', 'ad_set_external_id', 'ad_external_id'],
  ];
  expect([...unchanged, ...Object.keys(clearedVisit)].sort()).toEqual(own.sort());
});

test('every declaration on disk is in the registry', async () => {
  const root = join(import.meta.dirname, '../../..');
  const files = globSync(['domain/*/*/personal-data.ts', 'packages/*/personal-data.ts'], { cwd: root });
  expect(files.length).toBe(personalDataModules.length);
  for (const file of files) {
    const { personalData } = await import(join(root, file));
    expect(personalDataModules, file).toContain(personalData);
  }
});

test('modules are erased in lock order: outcomes, touches, payments, browsers, responses, summaries, customers', () => {
  const erased = personalDataModules.filter(({ erase }) => erase).map(({ postgres = {} }) => Object.keys(postgres)[0]);
  const order = [
    'outcomes',
    'partner_touches',
    'payment_entries',
    'visitor_links',
    'idempotent_answers',
    'journey_summaries',
    'customers',
  ];
  expect(erased).toEqual(order);
});
