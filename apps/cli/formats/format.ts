/** A row as the importer accepts it: its cells by column name. */
export type Cells = Readonly<Record<string, string>>;

/** A file format of another product, and the outcomes that a record contains. A record without outcomes is skipped. */
export interface Format {
  readonly written: 'csv' | 'json-lines';
  /** The required column of the CSV. */
  readonly column?: string;
  /** `rename` selects and renames the events that count; absent: the format's defaults. */
  readonly outcomesOf: (record: Readonly<Record<string, unknown>>, rename: Rename | undefined) => Cells[];
}

export type Rename = ReadonlyMap<string, string>;

/** Parses `purchase=payment_received,sign_up`: the events that count, each with its name here. */
export const readRename = (text: string): Rename =>
  new Map(
    text.split(',').map((one) => {
      const [theirs = '', ours = theirs] = one.split('=').map((part) => part.trim());
      if (!theirs || !ours)
        throw new Error('--events takes names parted by commas, like purchase=payment_received,sign_up.');
      return [theirs, ours] as const;
    }),
  );

/** Leaves missing and empty values out. */
export function cells(given: Readonly<Record<string, unknown>>): Cells {
  const present = Object.entries(given).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return Object.fromEntries(present.map(([name, value]) => [name, String(value)]));
}

export const part = (value: unknown): Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {};

/** Converts microseconds, seconds or a written date to ISO 8601; anything else stays unchanged, so that its row is rejected with that value. */
export function momentOf(value: unknown, unit: 'microseconds' | 'seconds' | 'text'): string {
  const text = String(value ?? '');
  const number = Number(text);
  const ms = unit === 'microseconds' ? number / 1_000 : unit === 'seconds' ? number * 1_000 : Date.parse(text);
  const date = new Date(ms);
  return text === '' || Number.isNaN(date.getTime()) ? text : date.toISOString();
}
