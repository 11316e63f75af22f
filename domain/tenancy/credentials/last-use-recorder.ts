import type { RawBuilder } from 'kysely';

/** A credential's last use is written at most once in this time. */
const writeEveryMs = 60_000;
const maxRemembered = 100_000;

/** Runs the write: on one server, or on all of them when the server with the row is unknown. */
export interface StatementRunner {
  query(statement: RawBuilder<unknown>): Promise<unknown>;
}

type Statement = (ids: readonly string[], now: Date) => RawBuilder<unknown>;

/**
 * Records when credentials were last used, so that their owner can find unused ones. Writes are batched and asynchronous: a busy credential
 * costs one row write a minute, and no request waits for the write or fails with it.
 */
export class LastUseRecorder {
  readonly #runner: StatementRunner;
  readonly #toStatement: Statement;
  readonly #onError: (error: unknown) => void;
  readonly #recordedAt = new Map<string, number>();
  #due = new Set<string>();
  #isWriting = false;

  constructor(runner: StatementRunner, toStatement: Statement, onError: (error: unknown) => void = () => {}) {
    this.#runner = runner;
    this.#toStatement = toStatement;
    this.#onError = onError;
  }

  note(id: string, now: Date): void {
    const last = this.#recordedAt.get(id);
    if (last !== undefined && now.getTime() - last < writeEveryMs) return;
    if (this.#recordedAt.size >= maxRemembered) this.#recordedAt.clear();
    this.#recordedAt.set(id, now.getTime());
    this.#due.add(id);
    if (!this.#isWriting) void this.#write(now);
  }

  async #write(now: Date): Promise<void> {
    this.#isWriting = true;
    // Includes uses recorded in the same event loop iteration.
    await new Promise(setImmediate);
    const due = [...this.#due];
    this.#due = new Set();
    try {
      await this.#runner.query(this.#toStatement(due, now));
    } catch (error) {
      for (const id of due) this.#recordedAt.delete(id);
      this.#onError(error);
    } finally {
      this.#isWriting = false;
      if (this.#due.size > 0) void this.#write(now);
    }
  }
}
