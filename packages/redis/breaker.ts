/** How long somebody waits for Redis who has another answer. */
const patienceMs = 1_000;
/** As many failures in a row and nobody is sent there any more. */
const mostFailures = 2;
/** How often somebody looks whether it is back. */
const lookEveryMs = 1_000;

/**
 * Between requests and a Redis that may be frozen: a few of them wait, the others are told at once. While it is away one question a
 * second is asked on nobody's behalf, and its answer lets the requests through again.
 */
export class Breaker {
  readonly #ask: () => Promise<unknown>;
  readonly #waiting = new Set<(reason: Error) => void>();
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(ask: () => Promise<unknown>) {
    this.#ask = ask;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#timer) throw new Error('Redis is away.');
    try {
      const answer = await this.#patiently(work());
      this.#failures = 0;
      return answer;
    } catch (error) {
      this.#failures += 1;
      if (this.#failures >= mostFailures) this.#open();
      throw error;
    }
  }

  /** Rejects while it is away. */
  async look(): Promise<void> {
    await this.run(this.#ask);
  }

  /** Who waits already is not kept waiting. */
  #open(): void {
    this.#timer ??= setTimeout(() => void this.#lookAgain(), lookEveryMs).unref();
    for (const giveUp of this.#waiting) giveUp(new Error('Redis is away.'));
  }

  async #lookAgain(): Promise<void> {
    try {
      await this.#patiently(this.#ask());
      this.#timer = undefined;
      this.#failures = 0;
    } catch {
      this.#timer = setTimeout(() => void this.#lookAgain(), lookEveryMs).unref();
    }
  }

  /**
   * Rejects when there is no answer within a second. A process that was busy itself all that time has the answer in its socket
   * but has not read it: it reads once more before it decides that Redis is away.
   */
  #patiently<T>(answer: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(new Error('Redis did not answer in time.'));
      const timer = setTimeout(() => setImmediate(() => setImmediate(giveUp)), patienceMs);
      this.#waiting.add(reject);
      answer.then(resolve, reject).finally(() => {
        clearTimeout(timer);
        this.#waiting.delete(reject);
      });
    });
  }
}
