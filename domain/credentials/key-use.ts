import type { UnboundLedger } from '@tributary/postgres';
import { noteKeyUse } from './store.ts';

/** How long one note stands for all the uses that follow it. */
const noteEveryMs = 60_000;
const mostKept = 100_000;

/**
 * Remembers when keys were last used, so that an owner sees which ones nobody needs. Notes are gathered and written beside the
 * requests: a busy key costs one row write a minute, and no request waits for it or fails with it.
 */
export class KeyUse {
  readonly #ledger: UnboundLedger;
  readonly #onError: (error: unknown) => void;
  readonly #noted = new Map<string, number>();
  #due = new Set<string>();
  #isWriting = false;

  constructor(ledger: UnboundLedger, onError: (error: unknown) => void = () => {}) {
    this.#ledger = ledger;
    this.#onError = onError;
  }

  note(keyId: string, now: Date): void {
    const last = this.#noted.get(keyId);
    if (last !== undefined && now.getTime() - last < noteEveryMs) return;
    if (this.#noted.size >= mostKept) this.#noted.clear();
    this.#noted.set(keyId, now.getTime());
    this.#due.add(keyId);
    if (!this.#isWriting) void this.#write(now);
  }

  async #write(now: Date): Promise<void> {
    this.#isWriting = true;
    // Whoever comes in this turn of the event loop is written along.
    await new Promise(setImmediate);
    const due = [...this.#due];
    this.#due = new Set();
    try {
      await this.#ledger.query(noteKeyUse(due, now));
    } catch (error) {
      for (const keyId of due) this.#noted.delete(keyId);
      this.#onError(error);
    } finally {
      this.#isWriting = false;
      if (this.#due.size > 0) void this.#write(now);
    }
  }
}
