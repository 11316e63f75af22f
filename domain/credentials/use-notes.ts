import type { RawBuilder } from 'kysely';

/** How long one note stands for all the uses that follow it. */
const noteEveryMs = 60_000;
const mostKept = 100_000;

/** Where notes are written: a server, or all of them where nobody knows which has the row. */
export interface Notebook {
  query(statement: RawBuilder<unknown>): Promise<unknown>;
}

type Statement = (ids: readonly string[], now: Date) => RawBuilder<unknown>;

/**
 * Remembers when credentials were last used, so that their owner sees which ones nobody needs. Notes are gathered and written beside the
 * requests: a busy one costs one row write a minute, and no request waits for it or fails with it.
 */
export class UseNotes {
  readonly #ledger: Notebook;
  readonly #statement: Statement;
  readonly #onError: (error: unknown) => void;
  readonly #noted = new Map<string, number>();
  #due = new Set<string>();
  #isWriting = false;

  constructor(ledger: Notebook, statement: Statement, onError: (error: unknown) => void = () => {}) {
    this.#ledger = ledger;
    this.#statement = statement;
    this.#onError = onError;
  }

  note(id: string, now: Date): void {
    const last = this.#noted.get(id);
    if (last !== undefined && now.getTime() - last < noteEveryMs) return;
    if (this.#noted.size >= mostKept) this.#noted.clear();
    this.#noted.set(id, now.getTime());
    this.#due.add(id);
    if (!this.#isWriting) void this.#write(now);
  }

  async #write(now: Date): Promise<void> {
    this.#isWriting = true;
    // Whoever comes in this turn of the event loop is written along.
    await new Promise(setImmediate);
    const due = [...this.#due];
    this.#due = new Set();
    try {
      await this.#ledger.query(this.#statement(due, now));
    } catch (error) {
      for (const id of due) this.#noted.delete(id);
      this.#onError(error);
    } finally {
      this.#isWriting = false;
      if (this.#due.size > 0) void this.#write(now);
    }
  }
}
