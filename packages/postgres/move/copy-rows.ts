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

/** Rows by their keys, as they are by now: all go, and what is there comes. So no value stands in the way of one that follows it. */
export async function copyAgain(
  ends: Ends,
  { name, columns, key }: MovedTable,
  keys: readonly (readonly string[])[],
): Promise<void> {
  const list = key.map((column) => pg.escapeIdentifier(column.name)).join(', ');
  const lots = Array.from({ length: Math.ceil(keys.length / keysAtOnce) }, (_, lot) => {
    const some = keys.slice(lot * keysAtOnce, (lot + 1) * keysAtOnce);
    const arrays = key.map(({ type }, at) => `${arrayOf(some.map((values) => values[at] as string))}::${type}[]`);
    return `(${list}) IN (SELECT * FROM unnest(${arrays.join(', ')}))`;
  });
  for (const theirs of lots) await ends.to.query(`DELETE FROM ${name} WHERE ${theirs}`);
  for (const theirs of lots) await copyRows(ends, { name, columns }, theirs);
}

const arrayOf = (texts: readonly string[]): string =>
  `ARRAY[${texts.map((text) => pg.escapeLiteral(text)).join(', ')}]`;
