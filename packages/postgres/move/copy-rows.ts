import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { MovedTable } from './tables.ts';

/** Administrator connections to the source and target server. */
export interface Servers {
  readonly from: pg.Client;
  readonly to: pg.Client;
}

const columnList = (columns: readonly string[]) => columns.map((column) => pg.escapeIdentifier(column)).join(', ');

/** Copies the rows that match `theirs` in one transaction of the target. Resolves to the number of rows. */
export async function copyRows(
  { from, to }: Servers,
  { name, columns }: Pick<MovedTable, 'name' | 'columns'>,
  condition: string,
  into = name,
): Promise<number> {
  const source = from.query(copyTo(`COPY (SELECT ${columnList(columns)} FROM ${name} WHERE ${condition}) TO STDOUT`));
  const target = to.query(copyFrom(`COPY ${into} (${columnList(columns)}) FROM STDIN`));
  await pipeline(source, target);
  return target.rowCount ?? 0;
}

const keysAtOnce = 5_000;

/**
 * Copies rows again by key: first deletes all of them from the target, then inserts those that still exist. So no old value can conflict
 * with a newer one.
 */
export async function recopyRows(
  servers: Servers,
  { name, columns, key }: MovedTable,
  keys: readonly (readonly string[])[],
): Promise<void> {
  const list = key.map((column) => pg.escapeIdentifier(column.name)).join(', ');
  const batches = Array.from({ length: Math.ceil(keys.length / keysAtOnce) }, (_, index) => {
    const batch = keys.slice(index * keysAtOnce, (index + 1) * keysAtOnce);
    const arrays = key.map(({ type }, at) => `${arrayOf(batch.map((values) => values[at] as string))}::${type}[]`);
    return `(${list}) IN (SELECT * FROM unnest(${arrays.join(', ')}))`;
  });
  for (const condition of batches) await servers.to.query(`DELETE FROM ${name} WHERE ${condition}`);
  for (const condition of batches) await copyRows(servers, { name, columns }, condition);
}

const arrayOf = (texts: readonly string[]): string =>
  `ARRAY[${texts.map((text) => pg.escapeLiteral(text)).join(', ')}]`;
