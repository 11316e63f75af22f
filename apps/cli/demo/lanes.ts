/** So many things at a time: whoever brings one more waits for room. What went wrong is told to whoever comes next. */
export class Lanes {
  readonly #most: number;
  readonly #running = new Set<Promise<void>>();
  #failures: unknown[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  async run(work: () => Promise<void>): Promise<void> {
    while (this.#running.size >= this.#most) await Promise.race(this.#running);
    this.#tell();
    const running: Promise<void> = work()
      .catch((error) => void this.#failures.push(error))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async drain(): Promise<void> {
    await Promise.all(this.#running);
    this.#tell();
  }

  #tell(): void {
    const [failure] = this.#failures;
    if (failure !== undefined) throw failure;
  }
}
