import type { ClickHouse } from './client.ts';

/** The tables as the engine understands them, in the same words whatever database and cluster they stand in. */
export async function dumpSchema(client: ClickHouse): Promise<string> {
  const tables = await client.query('table_list', {});
  const definitions = tables.map(({ definition }) =>
    definition
      .replaceAll(`${client.settings.database}.`, '')
      .replace(/Distributed\('\w+', '\w+'/, "Distributed('{cluster}', '{database}'"),
  );
  return definitions.map((definition) => `${definition};\n`).join('\n');
}
