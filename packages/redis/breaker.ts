/** How long a request waits for Redis before it uses its fallback. */
const timeoutMs = 1_000;
/** The breaker opens after this many failures in a row. */
const maxFailures = 2;
/** Interval of the probes while the breaker is open. */
const probeEveryMs = 1_000;

/**
 * A circuit breaker for a Redis that may be frozen: a few requests wait, the others fail at once. While it is open, one probe per second
 * checks whether Redis is back, and closes it again.
 */
export class Breaker {
  readonly #probe: () => Promise<unknown>;
  readonly #waiting = new Set<(reason: Error) => void>();
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(probe: () => Promise<unknown>) {
    this.#probe = probe;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#timer) throw new Error('Redis is away.');
    try {
      const answer = await this.#withTimeout(work());
      this.#failures = 0;
      return answer;
    } catch (error) {
      this.#failures += 1;
      if (this.#failures >= maxFailures) this.#open();
      throw error;
    }
  }

  /** Rejects while Redis is unavailable. */
  async look(): Promise<void> {
    await this.run(this.#probe);
  }

  /** Rejects waiting requests at once. */
  #open(): void {
    this.#timer ??= setTimeout(() => void this.#probeAgain(), probeEveryMs).unref();
    for (const giveUp of this.#waiting) giveUp(new Error('Redis is away.'));
  }

  async #probeAgain(): Promise<void> {
    try {
      await this.#withTimeout(this.#probe());
      this.#timer = undefined;
      this.#failures = 0;
    } catch {
      this.#timer = setTimeout(() => void this.#probeAgain(), probeEveryMs).unref();
    }
  }

  /**
   * Rejects when there is no answer within a second. If this process was busy all that time, the answer may be in the socket but not read
   * yet: it reads once more before it gives up.
   */
  #withTimeout<T>(answer: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(new Error('Redis did not answer in time.'));
      const timer = setTimeout(() => setImmediate(() => setImmediate(giveUp)), timeoutMs);
      this.#waiting.add(reject);
      answer.then(resolve, reject).finally(() => {
        clearTimeout(timer);
        this.#waiting.delete(reject);
      });
    });
  }
}
