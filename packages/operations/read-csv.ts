import { limits } from '@tributary/vocabulary';
import { parse } from 'csv-parse/sync';
import { Refusal } from './refusal.ts';

/** The most rows of any route. Parsing stops one row later, so that a body of commas does not become millions of objects. */
const maxItems = limits.spend.maxRows;
const { fields: maxColumns, bytes: maxRowBytes } = limits.item;

/** A row with the fields of a JSON item, all of them texts. */
export type CsvItem = Readonly<Record<string, string | number>>;

/**
 * Parses CSV whose first line names the fields. Empty cells are omitted. A row with too many or too few cells cannot be assigned
 * to columns, so only its line number is kept and its validation fails.
 */
export function readCsv(text: string): CsvItem[] {
  const [header, ...rows] = records(text);
  if (!header) throw new Refusal('invalid_request', 'The first line of the CSV must name the fields.');
  const names = header.record.map((name) => name.trim().toLowerCase());
  if (names.length > maxColumns)
    throw new Refusal('invalid_request', `The CSV must have at most ${maxColumns} columns.`);
  const duplicate = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (duplicate !== -1)
    throw new Refusal('invalid_request', `Column ${duplicate + 1} of the CSV has the name of an earlier one.`);
  return rows.map(({ record, info }) => ({
    ...(record.length === names.length && toCells(names, record)),
    line: info.lines,
  }));
}

function toCells(names: readonly string[], record: readonly string[]): Record<string, string> {
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
    // The types of the library do not cover `info`.
    return parse(text, options) as unknown as CsvRecord[];
  } catch (error) {
    // The library's message may contain the content of a cell.
    const { lines, code } = error as { lines?: number; code?: string };
    if (code === 'CSV_MAX_RECORD_SIZE')
      throw new Refusal('invalid_request', `Line ${lines} of the CSV is larger than ${maxRowBytes / 1_024} KiB.`);
    throw new Refusal('invalid_request', `The body is not valid CSV${lines ? `, at line ${lines} or before` : ''}.`);
  }
}
