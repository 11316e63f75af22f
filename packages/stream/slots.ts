/** A bounded number of slots, granted in the order of the requests. */
export class Slots {
  readonly #size: number;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(size: number) {
    this.#size = size;
  }

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Rejects with the signal's reason if the signal aborts first. */
  acquire(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#taken < this.#size) {
      this.#taken += 1;
      return Promise.resolve();
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = () => {
      this.#waiting.delete(grant);
      reject(signal.reason);
    };
    const grant = () => {
      signal.removeEventListener('abort', giveUp);
      resolve();
    };
    this.#waiting.add(grant);
    signal.addEventListener('abort', giveUp, { once: true });
    return promise;
  }

  /** The slot passes directly to the next request in the queue, so that a newcomer cannot overtake it. */
  release(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#taken -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
