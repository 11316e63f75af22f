import { type Cell, type LifeEvent, lifeEvents } from './providers-life.ts';

/** A row for each life event and a column for each provider: how many facts were compared, and how many of them differ. */
export function printTable(cells: ReadonlyMap<string, ReadonlyMap<LifeEvent, Cell>>): void {
  const names = [...cells.keys()];
  const textOf = (cell: Cell | undefined) =>
    cell === undefined
      ? '–'
      : cell.differences === 0
        ? cell.compared.toLocaleString('en')
        : `${cell.differences} differ`;
  const rows = lifeEvents
    .filter((event) => names.some((name) => cells.get(name)?.has(event)))
    .map((event) => [event, ...names.map((name) => textOf(cells.get(name)?.get(event)))]);
  const table = [['event', ...names], ...rows];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of table)
    console.error(
      row
        .map((text, column) => (column === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[column] ?? 0)))
        .join('  '),
    );
}
