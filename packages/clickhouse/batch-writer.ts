import { randomUUID } from 'node:crypto';
import type { ClickHouse } from './client.ts';
import { isTransient } from './failure.ts';
import { columns, type Tables } from './tables.ts';
import { systemTimers, type Timers } from './timers.ts';

/** Tables that are written row by row, and much of the time. */
type Written = keyof typeof columns;

export interface BatchWriterOptions<Table extends Written> {
  readonly client: Pick<ClickHouse, 'insertArrays'>;
  readonly table: Table;
  /** A batch goes out when it has so many rows, */
  readonly maxRows?: number;
  /** or so many bytes of JSON, */
  readonly maxBytes?: number;
  /** or when its first row has waited so long. */
  readonly maxWaitMs?: number;
  /** Rows taken in and not yet stored; beyond them add() and ready() wait. */
  readonly maxPendingRows?: number;
  /** How long a batch is tried again, from when its first row came, while the engine is away. */
  readonly retryForMs?: number;
  /** The pause after the n-th failure, counted from 1. */
  readonly backoffMs?: (failures: number) => number;
  readonly timers?: Timers;
}

export interface BatchWriter<Row> {
  /**
   * Resolves when the engine has the rows on disk, so that the caller may acknowledge them; rejects when it refused them or
   * stayed away too long. The rows of one call stay together. Memory is bounded for callers that await ready() first.
   */
  add(rows: readonly Row[]): Promise<void>;
  /** Resolves when there is room. */
  ready(): Promise<void>;
  /** Sends what has gathered, and resolves when everything added so far is stored or rejected. */
  flush(): Promise<void>;
  /** The last flush; add() rejects from now on. */
  close(): Promise<void>;
}

export function createBatchWriter<Table extends Written>(
  options: BatchWriterOptions<Table>,
): BatchWriter<Tables[Table]> {
  return new Writer(options);
}

/** What one call of add() brought. It is stored, or rejected, as a whole. */
interface Parcel {
  readonly lines: string;
  readonly rows: number;
  readonly settled: PromiseWithResolvers<void>;
}

interface Batch {
  readonly parcels: Parcel[];
  readonly openedAt: number;
  rows: number;
  bytes: number;
}

class Writer<Row> implements BatchWriter<Row> {
  readonly #options: Required<BatchWriterOptions<Written>>;
  /** Came while there was no room, oldest first. */
  readonly #outside: Parcel[] = [];
  /** Gathers until it is cut. */
  #open: { readonly batch: Batch; readonly cancelTimer: () => void } | undefined;
  /** Cut, oldest first; one at a time is on its way. */
  readonly #queue: Batch[] = [];
  #sending = false;
  #pendingRows = 0;
  #flushes = 0;
  #closed = false;
  readonly #unsettled = new Set<Promise<void>>();
  /** Resolved and replaced whenever rows leave. */
  #left = Promise.withResolvers<void>();

  constructor(options: BatchWriterOptions<Written>) {
    this.#options = { ...defaults, ...options };
  }

  async add(rows: readonly Row[]): Promise<void> {
    if (this.#closed) throw new Error(`The writer of ${this.#options.table} is closed.`);
    if (rows.length === 0) return;
    const names = columns[this.#options.table] as readonly (keyof Row)[];
    let lines = '';
    for (const row of rows) lines += `${JSON.stringify(names.map((name) => row[name]))}\n`;
    const parcel: Parcel = { lines, rows: rows.length, settled: Promise.withResolvers() };
    this.#unsettled.add(parcel.settled.promise);
    this.#outside.push(parcel);
    this.#admit();
    try {
      await parcel.settled.promise;
    } finally {
      this.#unsettled.delete(parcel.settled.promise);
    }
  }

  async ready(): Promise<void> {
    while (this.#outside.length > 0 || this.#pendingRows >= this.#options.maxPendingRows) await this.#left.promise;
  }

  async flush(): Promise<void> {
    this.#flushes += 1;
    this.#cut();
    await Promise.allSettled([...this.#unsettled]);
    this.#flushes -= 1;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.flush();
  }

  /** Takes in what there is room for, in the order it came. A parcel bigger than all the room goes in when nothing else is. */
  #admit(): void {
    for (let next = this.#outside[0]; next; next = this.#outside[0]) {
      if (this.#pendingRows > 0 && this.#pendingRows + next.rows > this.#options.maxPendingRows) break;
      this.#outside.shift();
      this.#pendingRows += next.rows;
      this.#gather(next);
    }
    // Whoever flushes waits for those that stood outside, too.
    if (this.#flushes > 0) this.#cut();
  }

  #gather(parcel: Parcel): void {
    const { maxRows, maxBytes, maxWaitMs, timers } = this.#options;
    const bytes = Buffer.byteLength(parcel.lines);
    const open = this.#open?.batch;
    if (open && (open.rows + parcel.rows > maxRows || open.bytes + bytes > maxBytes)) this.#cut();
    this.#open ??= {
      batch: { parcels: [], openedAt: timers.now().getTime(), rows: 0, bytes: 0 },
      cancelTimer: timers.after(maxWaitMs, () => this.#cut()),
    };
    const { batch } = this.#open;
    batch.parcels.push(parcel);
    batch.rows += parcel.rows;
    batch.bytes += bytes;
    if (batch.rows >= maxRows || batch.bytes >= maxBytes) this.#cut();
  }

  /** Closes the open batch and sends it in its turn. */
  #cut(): void {
    if (!this.#open) return;
    this.#open.cancelTimer();
    this.#queue.push(this.#open.batch);
    this.#open = undefined;
    void this.#sendAll();
  }

  /** One insert at a time: the engine likes few and large ones, and while one is under way the next grows. */
  async #sendAll(): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    for (let batch = this.#queue.shift(); batch; batch = this.#queue.shift()) {
      await this.#store(batch.parcels, batch.openedAt + this.#options.retryForMs);
      this.#pendingRows -= batch.rows;
      this.#left.resolve();
      this.#left = Promise.withResolvers();
      this.#admit();
    }
    this.#sending = false;
  }

  /** Settles every parcel; never throws. */
  async #store(parcels: readonly Parcel[], deadline: number): Promise<void> {
    try {
      await this.#insert(parcels.map(({ lines }) => lines).join(''), deadline);
      for (const { settled } of parcels) settled.resolve();
    } catch (error) {
      // A row that the engine refuses must not take its neighbours along, now and at every redelivery.
      if (parcels.length > 1 && !isTransient(error))
        for (const parcel of parcels) await this.#store([parcel], deadline);
      else for (const { settled } of parcels) settled.reject(error);
    }
  }

  /** The token stays the same from try to try: if only the answer was lost, the engine knows the batch and skips it. */
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
  // 100 ms, doubled up to 5 s; between half and all of it, so that many writers do not come back at once.
  backoffMs: (failures: number) => Math.min(5_000, 100 * 2 ** (failures - 1)) * (0.5 + Math.random() / 2),
  timers: systemTimers,
} as const;
