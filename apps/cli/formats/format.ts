/** A row as the importer takes it: its cells by the names of their columns. */
export type Cells = Readonly<Record<string, string>>;

/** A file of somebody else's: how it is written, and which outcomes a record of it tells of. None: it is passed over. */
export interface Format {
  readonly written: 'csv' | 'json-lines';
  /** A column that the CSV cannot do without. */
  readonly column?: string;
  /** `rename` says which events count, and how they are called here; absent, the format's own choice. */
  readonly outcomesOf: (record: Readonly<Record<string, unknown>>, rename: Rename | undefined) => Cells[];
}

export type Rename = ReadonlyMap<string, string>;

/** `purchase=payment_received,sign_up`: those that count, each with its name here. */
export const readRename = (text: string): Rename =>
  new Map(
    text.split(',').map((one) => {
      const [theirs = '', ours = theirs] = one.split('=').map((part) => part.trim());
      if (!theirs || !ours)
        throw new Error('--events takes names parted by commas, like purchase=payment_received,sign_up.');
      return [theirs, ours] as const;
    }),
  );

/** Only what is there: an empty cell says nothing. */
export function cells(given: Readonly<Record<string, unknown>>): Cells {
  const said = Object.entries(given).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return Object.fromEntries(said.map(([name, value]) => [name, String(value)]));
}

export const part = (value: unknown): Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {};

/** Microseconds, seconds or a date that somebody wrote, as ISO 8601; what is none stays as it is, and its row is rejected with that word. */
export function momentOf(value: unknown, unit: 'microseconds' | 'seconds' | 'text'): string {
  const text = String(value ?? '');
  const number = Number(text);
  const ms = unit === 'microseconds' ? number / 1_000 : unit === 'seconds' ? number * 1_000 : Date.parse(text);
  const date = new Date(ms);
  return text === '' || Number.isNaN(date.getTime()) ? text : date.toISOString();
}
