/** A bounded number of slots, given out in the order of asking. */
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

  /** Rejects with the signal's reason when the signal comes first. */
  acquire(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#taken < this.#size) {
      this.#taken += 1;
      return Promise.resolve();
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = () => {
      this.#waiting.delete(turn);
      reject(signal.reason);
    };
    const turn = () => {
      signal.removeEventListener('abort', giveUp);
      resolve();
    };
    this.#waiting.add(turn);
    signal.addEventListener('abort', giveUp, { once: true });
    return promise;
  }

  /** The slot goes straight to the next in the queue, so that a newcomer cannot overtake it. */
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
