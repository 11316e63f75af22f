import type { Column } from './columns.ts';

export interface CsvOptions<Row> {
  /** What the file is called after. */
  readonly name: string;
  readonly columns: readonly Column<Row>[];
  /** Below the rows. */
  readonly totals: readonly Row[];
}

/** The rows of a table as a file for spreadsheets: what the columns are sorted by, in the order in which the rows stand. */
export function csvOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const lines = [columns.map(({ title }) => title), ...rows.map((row) => columns.map(({ value }) => value(row)))];
  // With a mark at its beginning a spreadsheet reads it as UTF-8.
  return `\uFEFF${lines.map((cells) => cells.map(cellOf).join(',')).join('\r\n')}\r\n`;
}

/** A text that begins like a formula would be worked out by the spreadsheet: it could send the table elsewhere. */
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

/** A file's name from what the table is called: "Campaigns, what they cost": `campaigns-what-they-cost.csv`. */
export const fileNameOf = (caption: string): string =>
  `${caption
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')}.csv`;
