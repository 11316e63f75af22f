import { globSync } from 'node:fs';
import { join } from 'node:path';
import { raw } from '@tributary/clickhouse';
import { clearedVisit } from '@tributary/domain/ingestion';
import { createPostgres } from '@tributary/postgres';
import { openTestWithClickHouse } from '@tributary/testkit';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { clickhouseTables, holders } from './registry.ts';

const { kit, clickhouse } = await openTestWithClickHouse();

/** Names of columns that could say who somebody is. */
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

const inPostgres = holders.flatMap(({ postgres = {} }) => Object.keys(postgres));
const inClickHouse = holders.flatMap(({ clickhouse = {} }) => Object.keys(clickhouse));

/** Tables with a column that could name somebody, and that nobody declares. */
const forgotten = (columns: readonly Column[], declared: readonly string[]) => [
  ...new Set(
    columns
      .filter(({ table, column }) => personColumn.test(column) && !declared.includes(table))
      .map(({ table }) => table),
  ),
];

describe('every table with a column that could name somebody is declared by a room', () => {
  test('in PostgreSQL, where one that nobody declares is found', async () => {
    expect(forgotten(await postgresColumns(), inPostgres)).toEqual([]);
    await owned(sql`CREATE TABLE chats (profile_id uuid, customer_id uuid, words text)`);
    expect(forgotten(await postgresColumns(), inPostgres)).toEqual(['chats']);
  });

  test('in ClickHouse, where one that nobody declares is found', async () => {
    expect(forgotten(await clickhouseColumns(), inClickHouse)).toEqual([]);
    await clickhouse.command(
      raw('CREATE TABLE chats (profile_id UUID, email String) ENGINE = MergeTree ORDER BY profile_id'),
      {},
    );
    expect(forgotten(await clickhouseColumns(), inClickHouse)).toEqual(['chats']);
  });

  test('and what is declared exists, each table once', async () => {
    const tables = new Set((await postgresColumns()).map(({ table }) => table));
    expect(inPostgres.filter((table) => !tables.has(table))).toEqual([]);
    expect(new Set(inPostgres).size).toBe(inPostgres.length);
    expect(Object.keys(clickhouseTables)).toEqual(inClickHouse);
  });

  test('a row of which is found by the column that is said to hold its owner', async () => {
    const columns = new Set((await postgresColumns()).map(({ table, column }) => `${table}.${column}`));
    for (const [table, held] of holders.flatMap(({ postgres = {} }) => Object.entries(postgres)))
      if (held.erasure !== 'not a customer') expect(columns, table).toContain(`${table}.${held.owner ?? 'profile_id'}`);
  });
});

test('of a table of ClickHouse every column that could name somebody is dealt with', async () => {
  const columns = await clickhouseColumns();
  for (const [table, held] of Object.entries(clickhouseTables)) {
    const own = columns.filter((column) => column.table === table).map(({ column }) => column);
    expect(own, table).toContain(held.id);
    if (held.erasure === 'kept' || held.erasure === 'deleted') continue;
    const changed = held.erasure === 'cleared' ? Object.keys(held.columns) : [];
    const left = own.filter((column) => personColumn.test(column) && column !== held.id && !changed.includes(column));
    expect(left, table).toEqual([]);
    // A table that also knows people by another id would be searched by half.
    if (own.includes('person_id')) expect(held.id, table).toBe('person_id');
  }
});

test('of a visit stay ids, time, channel, ad, country, region and kind: every column is kept or cleared, and none forgotten', async () => {
  const own = (await clickhouseColumns()).filter(({ table }) => table === 'visits').map(({ column }) => column);
  const kept = [
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
  expect([...kept, ...Object.keys(clearedVisit)].sort()).toEqual(own.sort());
});

test('every declaration on disk is in the registry', async () => {
  const root = join(import.meta.dirname, '../..');
  const files = globSync(['domain/*/holds-people.ts', 'packages/*/holds-people.ts'], { cwd: root });
  expect(files.length).toBe(holders.length);
  for (const file of files) {
    const { holdsPeople } = await import(join(root, file));
    expect(holders, file).toContain(holdsPeople);
  }
});

test('those who are asked in the transaction are asked in one order: outcomes, touches, payments, browsers, answers, summaries, customers', () => {
  const asked = holders.filter(({ erase }) => erase).map(({ postgres = {} }) => Object.keys(postgres)[0]);
  const order = [
    'outcomes',
    'partner_touches',
    'payment_entries',
    'visitor_links',
    'idempotent_answers',
    'journey_summaries',
    'customers',
  ];
  expect(asked).toEqual(order);
});
