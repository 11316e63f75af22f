import type { ClickHouse } from './client.ts';

/** Dumps the table definitions as ClickHouse stores them, without the database and cluster names. */
export async function dumpSchema(client: ClickHouse): Promise<string> {
  const tables = await client.query('table_list', {});
  const definitions = tables.map(({ definition }) =>
    definition
      .replaceAll(`${client.settings.database}.`, '')
      .replace(/Distributed\('\w+', '\w+'/, "Distributed('{cluster}', '{database}'"),
  );
  return definitions.map((definition) => `${definition};\n`).join('\n');
}
