import { raw } from '@tributary/clickhouse';
import { createPostgres } from '@tributary/postgres';
import { openTestWithClickHouse } from '@tributary/testkit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { personColumn, personStores } from './registry.ts';

const { kit, clickhouse } = await openTestWithClickHouse();

interface Column {
  readonly table: string;
  readonly column: string;
}
const withPeople = (columns: readonly Column[]) =>
  [...new Set(columns.filter(({ column }) => personColumn.test(column)).map(({ table }) => table))].sort();
const registered = (store: string) =>
  personStores
    .filter((one) => one.store === store)
    .map(({ table }) => table)
    .sort();

async function ledgerColumns(): Promise<Column[]> {
  const owner = createPostgres({ url: kit.database.ownerUrl, poolSize: 1 });
  const { rows } = await owner.unbound.query(sql<Column>`
    SELECT c.table_name AS "table", c.column_name AS "column" FROM information_schema.columns c
    JOIN information_schema.tables t USING (table_schema, table_name)
    WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'`);
  await owner.close();
  return rows;
}

test('every table of PostgreSQL with a column that could name somebody is in the registry', async () => {
  const known = new Set(registered('postgres'));
  expect(withPeople(await ledgerColumns()).filter((table) => !known.has(table))).toEqual([]);
});

test('every table of ClickHouse with a column that could name somebody is in the registry', async () => {
  const columns = await clickhouse.query(
    raw<Column>(`SELECT table, name AS column FROM system.columns WHERE database = currentDatabase()
      AND table IN (SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree')`),
    {},
  );
  const known = new Set(registered('clickhouse'));
  expect(withPeople(columns).filter((table) => !known.has(table))).toEqual([]);
});

test('what is in the registry exists, and each table once', async () => {
  const tables = new Set((await ledgerColumns()).map(({ table }) => table));
  expect(registered('postgres').filter((table) => !tables.has(table))).toEqual([]);
  const names = personStores.map(({ store, table }) => `${store} ${table}`);
  expect(new Set(names).size).toBe(names.length);
});

test('a table that somebody forgot would be found', () => {
  expect(withPeople([{ table: 'chats', column: 'customer_id' }])).toEqual(['chats']);
  expect(
    withPeople([
      { table: 'notes', column: 'email' },
      { table: 'plans', column: 'name' },
    ]),
  ).toEqual(['notes']);
});
