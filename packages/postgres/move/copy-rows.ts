import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { MovedTable } from './tables.ts';

/** A server at either end, entered as an administrator. */
export interface Ends {
  readonly from: pg.Client;
  readonly to: pg.Client;
}

const named = (columns: readonly string[]) => columns.map((column) => pg.escapeIdentifier(column)).join(', ');

/** All of their rows, in one transaction of the receiver. Resolves to how many. */
export async function copyRows(
  { from, to }: Ends,
  { name, columns }: Pick<MovedTable, 'name' | 'columns'>,
  theirs: string,
  into = name,
): Promise<number> {
  const source = from.query(copyTo(`COPY (SELECT ${named(columns)} FROM ${name} WHERE ${theirs}) TO STDOUT`));
  const target = to.query(copyFrom(`COPY ${into} (${named(columns)}) FROM STDIN`));
  await pipeline(source, target);
  return target.rowCount ?? 0;
}

const keysAtOnce = 5_000;

/** Rows by their keys, as they are by now: what is there replaces what was copied, and what is gone goes. */
export async function copyAgain(
  ends: Ends,
  { name, columns, key }: MovedTable,
  keys: readonly (readonly string[])[],
): Promise<void> {
  const list = key.map((column) => pg.escapeIdentifier(column.name)).join(', ');
  for (let start = 0; start < keys.length; start += keysAtOnce) {
    const some = keys.slice(start, start + keysAtOnce);
    const arrays = key.map(({ type }, at) => `${arrayOf(some.map((values) => values[at] as string))}::${type}[]`);
    const isOneOf = `(${list}) IN (SELECT * FROM unnest(${arrays.join(', ')}))`;
    await ends.to.query(`DELETE FROM ${name} WHERE ${isOneOf}`);
    await copyRows(ends, { name, columns }, isOneOf);
  }
}

const arrayOf = (texts: readonly string[]): string =>
  `ARRAY[${texts.map((text) => pg.escapeLiteral(text)).join(', ')}]`;
