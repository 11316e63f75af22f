/** Buffers messages between the pull and the handler. */
export class Inbox<Item> {
  readonly #items: Item[] = [];
  readonly #watchers = new Set<() => void>();
  #closed = false;

  add(item: Item): void {
    this.#items.push(item);
    this.#changed();
  }

  /** Resolves when fewer than `most` messages wait, or the inbox is closed. */
  untilBelow(most: number): Promise<void> {
    return this.#until(() => this.#items.length < most);
  }

  /** The next batch: full, or incomplete after `waitMs` from its first item. Empty once the inbox is closed. */
  async take(most: number, waitMs: number): Promise<Item[]> {
    await this.#until(() => this.#items.length > 0);
    await this.#until(() => this.#items.length >= most, waitMs);
    const batch = this.#items.splice(0, most);
    this.#changed();
    return batch;
  }

  /** Ends all waits and drops the remaining items. */
  close(): void {
    this.#closed = true;
    this.#items.length = 0;
    this.#changed();
  }

  #until(condition: () => boolean, timeoutMs?: number): Promise<void> {
    if (this.#closed || condition()) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        this.#watchers.delete(check);
        clearTimeout(timer);
        resolve();
      };
      const check = () => {
        if (this.#closed || condition()) done();
      };
      const timer = timeoutMs === undefined ? undefined : setTimeout(done, timeoutMs);
      this.#watchers.add(check);
    });
  }

  #changed(): void {
    for (const check of [...this.#watchers]) check();
  }
}
