/** Returns the keys of a table, in its order. A table describes each word; a list has the words alone. */
export function namesOf<const Table extends Readonly<Record<string, unknown>>>(table: Table): (keyof Table & string)[] {
  return Object.keys(table);
}
