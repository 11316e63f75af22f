import { randomUUID } from 'node:crypto';
import type { ClickHouse } from './client.ts';
import { isTransient } from './failure.ts';
import { columns, type Tables } from './tables.ts';
import { systemTimers, type Timers } from './timers.ts';

/** Tables that are written often and row by row, so their column lists are fixed. */
type BatchedTable = keyof typeof columns;

export interface BatchWriterOptions<Table extends BatchedTable> {
  readonly client: Pick<ClickHouse, 'insertArrays'>;
  readonly table: Table;
  /** A batch is sent when it has this many rows, */
  readonly maxRows?: number;
  /** or this many bytes of JSON, */
  readonly maxBytes?: number;
  /** or when its first row has waited this long. */
  readonly maxWaitMs?: number;
  /** Rows accepted but not yet stored. Above this limit add() and ready() wait. */
  readonly maxPendingRows?: number;
  /** How long a failed batch is retried while ClickHouse is unavailable, counted from its first row. */
  readonly retryForMs?: number;
  /** The pause after the nth failure, counted from 1. */
  readonly backoffMs?: (failures: number) => number;
  readonly timers?: Timers;
}

export interface BatchWriter<Row> {
  /**
   * Resolves when ClickHouse has stored the rows, so the caller may acknowledge its messages. Rejects when ClickHouse
   * refuses the rows or stays unavailable too long. The rows of one call are stored or rejected together. Memory is
   * bounded only for callers that await ready() first.
   */
  add(rows: readonly Row[]): Promise<void>;
  /** Resolves when the writer can accept more rows. */
  ready(): Promise<void>;
  /** Sends the buffered rows and resolves when everything added so far is stored or rejected. */
  flush(): Promise<void>;
  /** Flushes and makes further add() calls reject. */
  close(): Promise<void>;
}

export function createBatchWriter<Table extends BatchedTable>(
  options: BatchWriterOptions<Table>,
): BatchWriter<Tables[Table]> {
  return new Writer(options);
}

/** The rows of one add() call. They are stored or rejected as a whole. */
interface PendingCall {
  readonly lines: string;
  readonly rows: number;
  readonly settled: PromiseWithResolvers<void>;
}

interface Batch {
  readonly calls: PendingCall[];
  readonly openedAt: number;
  rows: number;
  bytes: number;
}

class Writer<Row> implements BatchWriter<Row> {
  readonly #options: Required<BatchWriterOptions<BatchedTable>>;
  /** Calls waiting because the writer was full, oldest first. */
  readonly #waiting: PendingCall[] = [];
  /** The batch being filled. */
  #open: { readonly batch: Batch; readonly cancelTimer: () => void } | undefined;
  /** Batches ready to be sent, oldest first. One insert runs at a time. */
  readonly #queue: Batch[] = [];
  #sending = false;
  #pendingRows = 0;
  #flushes = 0;
  #closed = false;
  readonly #unsettled = new Set<Promise<void>>();
  /** Resolved and replaced whenever stored rows free capacity. */
  #capacityFreed = Promise.withResolvers<void>();

  constructor(options: BatchWriterOptions<BatchedTable>) {
    this.#options = { ...defaults, ...options };
  }

  async add(rows: readonly Row[]): Promise<void> {
    if (this.#closed) throw new Error(`The writer of ${this.#options.table} is closed.`);
    if (rows.length === 0) return;
    const names = columns[this.#options.table] as readonly (keyof Row)[];
    let lines = '';
    for (const row of rows) lines += `${JSON.stringify(names.map((name) => row[name]))}\n`;
    const call: PendingCall = { lines, rows: rows.length, settled: Promise.withResolvers() };
    this.#unsettled.add(call.settled.promise);
    this.#waiting.push(call);
    this.#admit();
    try {
      await call.settled.promise;
    } finally {
      this.#unsettled.delete(call.settled.promise);
    }
  }

  async ready(): Promise<void> {
    while (this.#waiting.length > 0 || this.#pendingRows >= this.#options.maxPendingRows)
      await this.#capacityFreed.promise;
  }

  async flush(): Promise<void> {
    this.#flushes += 1;
    this.#closeBatch();
    await Promise.allSettled([...this.#unsettled]);
    this.#flushes -= 1;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.flush();
  }

  /**
   * Accepts waiting calls in order, as far as capacity allows. A call larger than the whole capacity is accepted when
   * the writer is empty.
   */
  #admit(): void {
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      if (this.#pendingRows > 0 && this.#pendingRows + next.rows > this.#options.maxPendingRows) break;
      this.#waiting.shift();
      this.#pendingRows += next.rows;
      this.#append(next);
    }
    // A running flush must also send calls that were waiting for capacity.
    if (this.#flushes > 0) this.#closeBatch();
  }

  #append(call: PendingCall): void {
    const { maxRows, maxBytes, maxWaitMs, timers } = this.#options;
    const bytes = Buffer.byteLength(call.lines);
    const open = this.#open?.batch;
    if (open && (open.rows + call.rows > maxRows || open.bytes + bytes > maxBytes)) this.#closeBatch();
    this.#open ??= {
      batch: { calls: [], openedAt: timers.now().getTime(), rows: 0, bytes: 0 },
      cancelTimer: timers.after(maxWaitMs, () => this.#closeBatch()),
    };
    const { batch } = this.#open;
    batch.calls.push(call);
    batch.rows += call.rows;
    batch.bytes += bytes;
    if (batch.rows >= maxRows || batch.bytes >= maxBytes) this.#closeBatch();
  }

  /** Closes the open batch and queues it for sending. */
  #closeBatch(): void {
    if (!this.#open) return;
    this.#open.cancelTimer();
    this.#queue.push(this.#open.batch);
    this.#open = undefined;
    void this.#sendAll();
  }

  /** Runs one insert at a time: ClickHouse prefers few large inserts, and the next batch grows meanwhile. */
  async #sendAll(): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    for (let batch = this.#queue.shift(); batch; batch = this.#queue.shift()) {
      await this.#store(batch.calls, batch.openedAt + this.#options.retryForMs);
      this.#pendingRows -= batch.rows;
      this.#capacityFreed.resolve();
      this.#capacityFreed = Promise.withResolvers();
      this.#admit();
    }
    this.#sending = false;
  }

  /** Settles every call of the batch; never throws. */
  async #store(calls: readonly PendingCall[], deadline: number): Promise<void> {
    try {
      await this.#insert(calls.map(({ lines }) => lines).join(''), deadline);
      for (const { settled } of calls) settled.resolve();
    } catch (error) {
      // Retry call by call, so that one bad row does not reject the others now and at every redelivery.
      if (calls.length > 1 && !isTransient(error)) for (const call of calls) await this.#store([call], deadline);
      else for (const { settled } of calls) settled.reject(error);
    }
  }

  /** Every attempt uses the same deduplication token: if only the response was lost, ClickHouse skips the retry. */
  async #insert(lines: string, deadline: number): Promise<void> {
    const { client, table, backoffMs, timers } = this.#options;
    const token = randomUUID();
    for (let failures = 1; ; failures += 1) {
      try {
        return await client.insertArrays(table, columns[table], lines, { token });
      } catch (error) {
        const pauseMs = backoffMs(failures);
        if (!isTransient(error) || timers.now().getTime() + pauseMs > deadline) throw error;
        await new Promise<void>((resolve) => timers.after(pauseMs, resolve));
      }
    }
  }
}

const defaults = {
  maxRows: 50_000,
  maxBytes: 16 << 20,
  maxWaitMs: 500,
  maxPendingRows: 200_000,
  retryForMs: 60_000,
  // 100 ms, doubled up to 5 s, with jitter between half and all of it, so that many writers do not retry at once.
  backoffMs: (failures: number) => Math.min(5_000, 100 * 2 ** (failures - 1)) * (0.5 + Math.random() / 2),
  timers: systemTimers,
} as const;
