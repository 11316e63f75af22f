export interface BudgetLimits {
  /** Bytes of all bodies that are being read or worked on. */
  readonly inAll: number;
  readonly perSender: number;
}

/** One body: what has come of it counts until it is released. */
export interface Holding {
  /** False where there is no room for them: then the body is given up. */
  add(bytes: number): boolean;
  /** All of it is here. It is no longer given up for the sake of others. */
  complete(): void;
  release(): void;
}

interface Held extends Holding {
  readonly sender: string;
  readonly giveUp: () => void;
  bytes: number;
  isComing: boolean;
}

/**
 * How much of bodies a process holds in memory. What counts is what has come, not what was announced. When all is taken, whoever
 * holds the most gives up the body that came last: one sender's uploads take no room from the others.
 */
export class BodyBudget {
  readonly #limits: BudgetLimits;
  readonly #bySender = new Map<string, number>();
  readonly #held = new Set<Held>();
  #inAll = 0;

  constructor(limits: BudgetLimits) {
    this.#limits = limits;
  }

  get heldBytes(): number {
    return this.#inAll;
  }

  /** `giveUp` is called when the body must go while it is still coming. */
  open(sender: string, giveUp: () => void): Holding {
    const held: Held = {
      sender,
      giveUp,
      bytes: 0,
      isComing: true,
      add: (bytes) => this.#add(held, bytes),
      complete: () => {
        held.isComing = false;
      },
      release: () => this.#release(held),
    };
    this.#held.add(held);
    return held;
  }

  #add(held: Held, bytes: number): boolean {
    if (!this.#held.has(held)) return false;
    this.#count(held, bytes);
    if (this.#of(held.sender) > this.#limits.perSender) return this.#release(held);
    while (this.#inAll > this.#limits.inAll) {
      const victim = this.#newestOfGreediest() ?? held;
      this.#release(victim);
      if (victim === held) return false;
      victim.giveUp();
    }
    return true;
  }

  /** Among those that are still coming. */
  #newestOfGreediest(): Held | undefined {
    let found: Held | undefined;
    for (const held of this.#held) {
      if (held.isComing && held.bytes > 0 && (!found || this.#of(held.sender) >= this.#of(found.sender))) found = held;
    }
    return found;
  }

  #release(held: Held): false {
    if (this.#held.delete(held)) this.#count(held, -held.bytes);
    return false;
  }

  #count(held: Held, bytes: number): void {
    held.bytes += bytes;
    this.#inAll += bytes;
    const ofSender = this.#of(held.sender) + bytes;
    if (ofSender > 0) this.#bySender.set(held.sender, ofSender);
    else this.#bySender.delete(held.sender);
  }

  #of(sender: string): number {
    return this.#bySender.get(sender) ?? 0;
  }
}
