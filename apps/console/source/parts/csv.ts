import type { Column } from './columns.ts';

export interface CsvOptions<Row> {
  /** The base of the file name. */
  readonly name: string;
  readonly columns: readonly Column<Row>[];
  /** Appended after the rows. */
  readonly totals: readonly Row[];
}

/** The rows of a table as CSV: the columns' sort values, in the table's current order. */
export function csvOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const lines = [columns.map(({ title }) => title), ...rows.map((row) => columns.map(({ value }) => value(row)))];
  // The byte order mark makes spreadsheets read the file as UTF-8.
  return `\uFEFF${lines.map((cells) => cells.map(cellOf).join(',')).join('\r\n')}\r\n`;
}

/** Prevents formula injection: a spreadsheet would evaluate a text that starts like a formula, which could send the table elsewhere. */
function cellOf(value: number | string | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) && !/^-?\d+(\.\d+)?$/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function saveFile(name: string, text: string, type = 'text/csv;charset=utf-8'): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Derives a file name from a caption: "Campaigns, what they cost" becomes `campaigns-what-they-cost.csv`. */
export const fileNameOf = (caption: string): string =>
  `${caption
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')}.csv`;
