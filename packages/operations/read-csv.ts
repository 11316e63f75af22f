import { limits } from '@tributary/vocabulary';
import { parse } from 'csv-parse/sync';
import { Refusal } from './refusal.ts';

/** The most rows of any route. Parsing stops one row later, so that a body of commas does not become millions of objects. */
const maxItems = limits.spend.maxRows;
const { fields: maxColumns, bytes: maxRowBytes } = limits.item;

/** An item as JSON would have held it, but all texts. */
export type CsvItem = Readonly<Record<string, string | number>>;

/**
 * The items of a CSV text whose first line names their fields. An empty cell says nothing and is left out. A row with too many or
 * too few cells has lost its columns, and read by its place it would say something else: of it only the line is left.
 */
export function readCsv(text: string): CsvItem[] {
  const [header, ...rows] = records(text);
  if (!header) throw new Refusal('invalid_request', 'The first line of the CSV must name the fields.');
  const names = header.record.map((name) => name.trim().toLowerCase());
  if (names.length > maxColumns)
    throw new Refusal('invalid_request', `The CSV must have at most ${maxColumns} columns.`);
  const twice = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (twice !== -1)
    throw new Refusal('invalid_request', `Column ${twice + 1} of the CSV has the name of an earlier one.`);
  return rows.map(({ record, info }) => ({
    ...(record.length === names.length && cellsOf(names, record)),
    line: info.lines,
  }));
}

function cellsOf(names: readonly string[], record: readonly string[]): Record<string, string> {
  const cells = record.map((cell, index) => [names[index] ?? '', cell.trim()] as const);
  return Object.fromEntries(cells.filter(([, cell]) => cell !== ''));
}

type CsvRecord = { readonly record: readonly string[]; readonly info: { readonly lines: number } };

function records(text: string): CsvRecord[] {
  try {
    const options = {
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      to: maxItems + 2,
      max_record_size: maxRowBytes,
    };
    // Its types do not know what `info` makes of a row.
    return parse(text, options) as unknown as CsvRecord[];
  } catch (error) {
    // Its own message may repeat a cell.
    const { lines, code } = error as { lines?: number; code?: string };
    if (code === 'CSV_MAX_RECORD_SIZE')
      throw new Refusal('invalid_request', `Line ${lines} of the CSV is larger than ${maxRowBytes / 1_024} KiB.`);
    throw new Refusal('invalid_request', `The body is not valid CSV${lines ? `, at line ${lines} or before` : ''}.`);
  }
}
