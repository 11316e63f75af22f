export interface BudgetLimits {
  /** Bytes of all request bodies that are being received or processed. */
  readonly inAll: number;
  readonly perSender: number;
}

/** One request body: its received bytes count until it is released. */
export interface BodyReservation {
  /** Returns false if the budget is exhausted; the caller must then drop the body. */
  add(bytes: number): boolean;
  /** Marks the body as received in full. From now on it is not evicted for others. */
  complete(): void;
  release(): void;
}

interface Entry extends BodyReservation {
  readonly sender: string;
  readonly evict: () => void;
  bytes: number;
  isReceiving: boolean;
}

/**
 * Limits the memory that request bodies use in one process. Received bytes count, not the announced Content-Length. When the
 * total is exceeded, the sender with the most bytes loses its newest unfinished body, so one sender cannot block the others.
 */
export class BodyBudget {
  readonly #limits: BudgetLimits;
  readonly #bySender = new Map<string, number>();
  readonly #entry = new Set<Entry>();
  #inAll = 0;

  constructor(limits: BudgetLimits) {
    this.#limits = limits;
  }

  get heldBytes(): number {
    return this.#inAll;
  }

  /** `evict` is called when the body must be dropped while it is still being received. */
  open(sender: string, evict: () => void): BodyReservation {
    const entry: Entry = {
      sender,
      evict,
      bytes: 0,
      isReceiving: true,
      add: (bytes) => this.#add(entry, bytes),
      complete: () => {
        entry.isReceiving = false;
      },
      release: () => this.#release(entry),
    };
    this.#entry.add(entry);
    return entry;
  }

  #add(entry: Entry, bytes: number): boolean {
    if (!this.#entry.has(entry)) return false;
    this.#count(entry, bytes);
    if (this.#bytesOf(entry.sender) > this.#limits.perSender) return this.#release(entry);
    while (this.#inAll > this.#limits.inAll) {
      const evicted = this.#findEvictable() ?? entry;
      this.#release(evicted);
      if (evicted === entry) return false;
      evicted.evict();
    }
    return true;
  }

  /** Considers only bodies that are still being received. */
  #findEvictable(): Entry | undefined {
    let found: Entry | undefined;
    for (const entry of this.#entry) {
      if (
        entry.isReceiving &&
        entry.bytes > 0 &&
        (!found || this.#bytesOf(entry.sender) >= this.#bytesOf(found.sender))
      )
        found = entry;
    }
    return found;
  }

  #release(entry: Entry): false {
    if (this.#entry.delete(entry)) this.#count(entry, -entry.bytes);
    return false;
  }

  #count(entry: Entry, bytes: number): void {
    entry.bytes += bytes;
    this.#inAll += bytes;
    const senderBytes = this.#bytesOf(entry.sender) + bytes;
    if (senderBytes > 0) this.#bySender.set(entry.sender, senderBytes);
    else this.#bySender.delete(entry.sender);
  }

  #bytesOf(sender: string): number {
    return this.#bySender.get(sender) ?? 0;
  }
}
