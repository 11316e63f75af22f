/** Where messages wait between the pull and the handler. */
export class Inbox<Item> {
  readonly #items: Item[] = [];
  readonly #watchers = new Set<() => void>();
  #closed = false;

  add(item: Item): void {
    this.#items.push(item);
    this.#changed();
  }

  /** Resolves when fewer than so many wait, or the inbox is closed. */
  roomBelow(most: number): Promise<void> {
    return this.#until(() => this.#items.length < most);
  }

  /** The next batch: full, or as full as it got in that time after its first item. Empty once the inbox is closed. */
  async take(most: number, waitMs: number): Promise<Item[]> {
    await this.#until(() => this.#items.length > 0);
    await this.#until(() => this.#items.length >= most, waitMs);
    const batch = this.#items.splice(0, most);
    this.#changed();
    return batch;
  }

  /** Lets everybody go, empty-handed. */
  close(): void {
    this.#closed = true;
    this.#items.length = 0;
    this.#changed();
  }

  #until(condition: () => boolean, timeoutMs?: number): Promise<void> {
    if (this.#closed || condition()) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        this.#watchers.delete(look);
        clearTimeout(timer);
        resolve();
      };
      const look = () => {
        if (this.#closed || condition()) done();
      };
      const timer = timeoutMs === undefined ? undefined : setTimeout(done, timeoutMs);
      this.#watchers.add(look);
    });
  }

  #changed(): void {
    for (const look of [...this.#watchers]) look();
  }
}
