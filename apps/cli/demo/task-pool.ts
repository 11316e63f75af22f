/** Runs a limited number of tasks at once: `run` waits for a free slot. A failure is thrown to the next caller. */
export class TaskPool {
  readonly #most: number;
  readonly #running = new Set<Promise<void>>();
  #failures: unknown[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  async run(work: () => Promise<void>): Promise<void> {
    while (this.#running.size >= this.#most) await Promise.race(this.#running);
    this.#throwFailure();
    const running: Promise<void> = work()
      .catch((error) => void this.#failures.push(error))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async drain(): Promise<void> {
    await Promise.all(this.#running);
    this.#throwFailure();
  }

  #throwFailure(): void {
    const [failure] = this.#failures;
    if (failure !== undefined) throw failure;
  }
}
