/** The words of a table, in its order. A table says of each word what else there is to say; a list is the words alone. */
export function namesOf<const Table extends Readonly<Record<string, unknown>>>(table: Table): (keyof Table & string)[] {
  return Object.keys(table);
}
