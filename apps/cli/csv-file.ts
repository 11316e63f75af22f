import { createReadStream, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { csvRecords } from './csv-records.ts';
import type { Format, Rename } from './formats/index.ts';

const usualBatchSize = 1_000;
const maxLineCharacters = 4 * 1024 * 1024;

/** A row of a file: its cells by column name. */
interface Cells {
  readonly line: number;
  readonly cells: Readonly<Record<string, string>>;
}

interface RejectedRow {
  readonly line: number;
  readonly field: string;
  readonly message: string;
}

/** The number of rows, and of rows per status. */
export type Counts = Readonly<Record<string, number>> & { readonly rows: number; readonly rejected: number };

/** The result of a batch: a count per status, and the rejected rows. */
interface BatchResult {
  readonly rejected: readonly RejectedRow[];
}

export interface FileImport {
  readonly file: string;
  readonly profileId: string;
  /** The required column of this kind of file. */
  readonly column: string;
  /** The allowed columns; absent: any. */
  readonly columns?: readonly string[];
  /** A file format of another product: one record becomes any number of rows. */
  readonly format?: Format | undefined;
  /** Which events of the file count, and their names here. */
  readonly rename?: Rename | undefined;
  /** The possible statuses of a row besides rejected. */
  readonly statuses: readonly string[];
  readonly batchSize?: number;
  /** Validates a batch while the previous one is committed; the returned function commits it. */
  readonly prepareBatch: (rows: readonly Cells[]) => () => Promise<BatchResult>;
  /** Whether an interrupted run continues, and this run stores its progress. */
  readonly isResumable: boolean;
  readonly progress: (counts: Counts, share: number) => void;
}

export const rejectedFile = (file: string) => `${file}.rejected.csv`;
const progressFile = (file: string) => `${file}.progress.json`;

/**
 * Reads a CSV file of any size in batches. Stores its progress after each committed batch. If interrupted in between, the batch is sent again, and
 * the rows' idempotency keys make that harmless.
 */
export async function importFile(work: FileImport): Promise<Counts> {
  const { file, isResumable } = work;
  const before = (isResumable && readProgress(work)) || zeroCounts(work.statuses);
  if (before.rows === 0) await writeFile(rejectedFile(file), 'line,field,message\n');
  let counts: Counts = before;
  let batch: Cells[] = [];
  const size = statSync(file).size;
  const source = createReadStream(file);
  const commit = async (rows: number, commitBatch: () => Promise<BatchResult>) => {
    const share = size === 0 ? 1 : source.bytesRead / size;
    const done = await commitBatch();
    if (done.rejected.length > 0) await appendFile(rejectedFile(file), done.rejected.map(reportLine).join(''));
    counts = added(counts, rows, done);
    if (isResumable) storeProgress(work, counts);
    // The total is reported at the end.
    work.progress(counts, Math.min(share, 0.99));
  };

  /** Commits one batch while the next is read, but no more, so that memory does not grow with the file. */
  let pendingCommit: Promise<void> | undefined;
  const follow = async (rows: readonly Cells[]) => {
    const commitBatch = work.prepareBatch(rows);
    await pendingCommit;
    pendingCommit = commit(rows.length, commitBatch);
    // Prevents an unhandled rejection: the next batch or the end awaits this promise.
    pendingCommit.catch(() => {});
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
  await pendingCommit;
  work.progress(counts, 1);
  if (isResumable) rmSync(progressFile(file), { force: true });
  if (counts.rejected === 0) rmSync(rejectedFile(file), { force: true });
  return counts;
}

/**
 * The rows of a file, in order and deterministic, so that a row's number marks the progress of a run. Yields arrays, because yielding single rows
 * would take as long as reading them.
 */
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
    const columnNames = names;
    yield records.map(({ line, cells }) => ({ line, cells: cellsOf(columnNames, cells) }));
  }
}

/** A line that is not a JSON object ends the import: the file has another format. */
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
      // The error below reports it.
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

/** A row with too many or too few cells is misaligned: its values would end up in the wrong columns. */
function cellsOf(names: readonly string[], record: readonly string[]): Record<string, string> {
  if (record.length !== names.length) return {};
  return Object.fromEntries(names.map((name, index) => [name, record[index] ?? '']));
}

const zeroCounts = (statuses: readonly string[]): Counts => ({
  rows: 0,
  ...Object.fromEntries(statuses.map((status) => [status, 0])),
  rejected: 0,
});

function added(counts: Counts, rows: number, { rejected, ...done }: BatchResult): Counts {
  const sums = Object.entries<number>(done).map(([status, count]) => [status, (counts[status] ?? 0) + count]);
  return {
    ...counts,
    ...Object.fromEntries(sums),
    rows: counts.rows + rows,
    rejected: counts.rejected + rejected.length,
  };
}

/** Leaves the cells out: they are personal data, and the file contains them anyway. */
const reportLine = ({ line, field, message }: RejectedRow) =>
  `${line},${field},"The field ""${field}"" ${message.replaceAll('"', '""')}."\n`;

/** Identifies a run: another profile or a changed file starts over. */
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

/** Writes and renames, because a half-written progress file would be worse than none. */
function storeProgress(work: FileImport, counts: Counts): void {
  const path = progressFile(work.file);
  writeFileSync(`${path}.new`, JSON.stringify({ ...identityOf(work), counts }));
  renameSync(`${path}.new`, path);
}

/** One updating line on a terminal; elsewhere a line every few seconds. */
export function progressLine(): (counts: Counts, share: number) => void {
  let reportedAt = Date.now();
  return ({ rows, rejected }, share) => {
    const line = `${Math.floor(share * 100)}% ${rows.toLocaleString('en')} rows, ${rejected.toLocaleString('en')} rejected`;
    if (process.stderr.isTTY) process.stderr.write(`\r${line}${share === 1 ? '\n' : ''}`);
    else if (Date.now() - reportedAt >= 5_000) {
      console.error(line);
      reportedAt = Date.now();
    }
  };
}
