import { createReadStream, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { csvRecords } from './csv-records.ts';
import type { Format, Rename } from './formats/index.ts';

const usualBatchSize = 1_000;
const maxLineCharacters = 4 * 1024 * 1024;

/** A row of a file: its cells by the names of their columns. */
interface Cells {
  readonly line: number;
  readonly cells: Readonly<Record<string, string>>;
}

interface RejectedRow {
  readonly line: number;
  readonly field: string;
  readonly message: string;
}

/** How many rows there were, and how many of them became what. */
export type Counts = Readonly<Record<string, number>> & { readonly rows: number; readonly rejected: number };

/** What became of a batch: a number for each status, and the rejected rows themselves. */
interface Taken {
  readonly rejected: readonly RejectedRow[];
}

export interface FileImport {
  readonly file: string;
  readonly profileId: string;
  /** The column that a file of this kind cannot do without. */
  readonly column: string;
  /** The columns it may have; any, when absent. */
  readonly columns?: readonly string[];
  /** Somebody else's file: a record of it becomes rows, or none. */
  readonly format?: Format | undefined;
  /** Which events of such a file count, and how they are called here. */
  readonly rename?: Rename | undefined;
  /** What may become of a row, besides being rejected. */
  readonly statuses: readonly string[];
  /** How many rows are committed at once. */
  readonly batchSize?: number;
  /** Looks at a batch, while the one before it is being committed; what it gives commits it, when it is asked to. */
  readonly take: (rows: readonly Cells[]) => () => Promise<Taken>;
  /** Whether a run that was stopped is continued, and this one noted for the next. */
  readonly isResumable: boolean;
  readonly progress: (counts: Counts, share: number) => void;
}

export const rejectedFile = (file: string) => `${file}.rejected.csv`;
const progressFile = (file: string) => `${file}.progress.json`;

/**
 * Reads a CSV file from end to end, a batch at a time, whatever its size. After each batch that is committed it notes
 * how far it came. Stopped between the two, the batch is sent once more, and what its rows are known by makes nothing of it.
 */
export async function importFile(work: FileImport): Promise<Counts> {
  const { file, isResumable } = work;
  const before = (isResumable && readProgress(work)) || noneOf(work.statuses);
  if (before.rows === 0) await writeFile(rejectedFile(file), 'line,field,message\n');
  let counts: Counts = before;
  let batch: Cells[] = [];
  const size = statSync(file).size;
  const source = createReadStream(file);
  const commit = async (rows: number, taken: () => Promise<Taken>) => {
    const share = size === 0 ? 1 : source.bytesRead / size;
    const done = await taken();
    if (done.rejected.length > 0) await appendFile(rejectedFile(file), done.rejected.map(reportLine).join(''));
    counts = added(counts, rows, done);
    if (isResumable) noteProgress(work, counts);
    // The whole is said at the end.
    work.progress(counts, Math.min(share, 0.99));
  };

  /** While a batch is committed the next is read, and no more than that: memory does not grow with the file. */
  let underWay: Promise<void> | undefined;
  const follow = async (rows: readonly Cells[]) => {
    const taken = work.take(rows);
    await underWay;
    underWay = commit(rows.length, taken);
    // It is waited for by the next or at the end; until then its failure is nobody's surprise.
    underWay.catch(() => {});
  };
  const { batchSize = usualBatchSize } = work;
  let seen = 0;
  for await (const rows of rowsOf(source, work)) {
    for (const row of rows) {
      seen += 1;
      if (seen <= before.rows) continue;
      batch.push(row);
      if (batch.length < batchSize) continue;
      await follow(batch);
      batch = [];
    }
  }
  if (batch.length > 0) await follow(batch);
  await underWay;
  work.progress(counts, 1);
  if (isResumable) rmSync(progressFile(file), { force: true });
  if (counts.rejected === 0) rmSync(rejectedFile(file), { force: true });
  return counts;
}

/** The rows of a file, in their order: the same file gives the same rows, so that their number says how far a run came. Some at a time, for one at a time takes as long as reading them. */
async function* rowsOf(source: Readable, work: FileImport): AsyncGenerator<readonly Cells[]> {
  const { format, rename } = work;
  if (!format) yield* namedCells(source, work);
  else {
    const records = format.written === 'json-lines' ? jsonLines(source) : namedCells(source, work);
    for await (const some of records)
      yield some.flatMap(({ line, cells: record }) =>
        format.outcomesOf(record, rename).map((cells) => ({ line, cells })),
      );
  }
}

interface FileRecord {
  readonly line: number;
  readonly cells: Readonly<Record<string, unknown>>;
}

async function* namedCells(source: Readable, work: FileImport): AsyncGenerator<Cells[]> {
  let names: readonly string[] | undefined;
  for await (const records of csvRecords(source)) {
    if (!names) {
      const header = records.shift();
      if (!header) continue;
      names = columnsOf(header.cells, work);
    }
    const known = names;
    yield records.map(({ line, cells }) => ({ line, cells: cellsOf(known, cells) }));
  }
}

/** A line that is no JSON object ends the import: the file is not what it was said to be. */
async function* jsonLines(source: Readable): AsyncGenerator<FileRecord[]> {
  let line = 0;
  let rest = '';
  const read = (text: string): FileRecord => {
    line += 1;
    try {
      const record: unknown = JSON.parse(text);
      if (record !== null && typeof record === 'object' && !Array.isArray(record))
        return { line, cells: record as FileRecord['cells'] };
    } catch {
      // Said below.
    }
    throw new Error(
      `Line ${line} is no JSON object. The file must have one a line; of an array, "jq -c '.[]'" makes such lines.`,
    );
  };
  source.setEncoding('utf8');
  for await (const chunk of source as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > maxLineCharacters) throw new Error(`Line ${line + lines.length + 1} is longer than any event.`);
    yield lines.filter((text) => text.trim()).map(read);
  }
  if (rest.trim()) yield [read(rest)];
}

function columnsOf(header: readonly string[], { column, columns }: FileImport): string[] {
  const names = header.map((name) => name.trim().toLowerCase());
  if (!names.includes(column)) throw new Error(`The first line must name the columns, and "${column}" be one of them.`);
  const stranger = columns && names.find((name) => !columns.includes(name));
  if (stranger !== undefined)
    throw new Error(`There is no column "${stranger}". There may be: ${columns?.join(', ')}.`);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`The column "${twice}" is named twice.`);
  return names;
}

/** A row with too many or too few cells has lost its columns: read by its place it would say something else. */
function cellsOf(names: readonly string[], record: readonly string[]): Record<string, string> {
  if (record.length !== names.length) return {};
  return Object.fromEntries(names.map((name, index) => [name, record[index] ?? '']));
}

const noneOf = (statuses: readonly string[]): Counts => ({
  rows: 0,
  ...Object.fromEntries(statuses.map((status) => [status, 0])),
  rejected: 0,
});

function added(counts: Counts, rows: number, { rejected, ...done }: Taken): Counts {
  const sums = Object.entries<number>(done).map(([status, count]) => [status, (counts[status] ?? 0) + count]);
  return {
    ...counts,
    ...Object.fromEntries(sums),
    rows: counts.rows + rows,
    rejected: counts.rejected + rejected.length,
  };
}

/** The cells themselves are left out: they are of people, and they stand in the file. */
const reportLine = ({ line, field, message }: RejectedRow) =>
  `${line},${field},"The field ""${field}"" ${message.replaceAll('"', '""')}."\n`;

/** What a run was about: another profile or a changed file begins anew. */
function identityOf({ file, profileId }: FileImport) {
  const { size, mtimeMs } = statSync(file);
  return { profile_id: profileId, size, modified_ms: mtimeMs };
}

function readProgress(work: FileImport): Counts | undefined {
  const path = progressFile(work.file);
  if (!existsSync(path)) return undefined;
  const { counts, ...about } = JSON.parse(readFileSync(path, 'utf8')) as { counts: Counts };
  return JSON.stringify(about) === JSON.stringify(identityOf(work)) ? counts : undefined;
}

/** Whole or not at all: a half-written note would be worse than none. */
function noteProgress(work: FileImport, counts: Counts): void {
  const path = progressFile(work.file);
  writeFileSync(`${path}.new`, JSON.stringify({ ...identityOf(work), counts }));
  renameSync(`${path}.new`, path);
}

/** One line that changes on a terminal; elsewhere a line every few seconds. */
export function progressLine(): (counts: Counts, share: number) => void {
  let saidAt = Date.now();
  return ({ rows, rejected }, share) => {
    const line = `${Math.floor(share * 100)}% ${rows.toLocaleString('en')} rows, ${rejected.toLocaleString('en')} rejected`;
    if (process.stderr.isTTY) process.stderr.write(`\r${line}${share === 1 ? '\n' : ''}`);
    else if (Date.now() - saidAt >= 5_000) {
      console.error(line);
      saidAt = Date.now();
    }
  };
}
