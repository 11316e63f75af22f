import { Refusal } from './refusal.ts';

export interface TurnLimits {
  /** At once for the same receiver, so that requests sent all at once are served one after the other. */
  readonly perReceiver: number;
  readonly perTenant: number;
  /** At once for everybody. A tenant that has nothing under way gets its turn all the same. */
  readonly inAll: number;
  readonly waitMs: number;
  /** The message to whoever waited for so long. */
  readonly busy: string;
}

/** Of requests: one tenant alone never has all connections to the ledger, and one credential never all of its tenant's. */
export const requestTurns = (connections: number): TurnLimits => ({
  perReceiver: Math.ceil(connections / 2),
  perTenant: Math.ceil(connections * 0.8),
  inAll: connections * 2,
  waitMs: 20_000,
  busy: 'Earlier requests of this workspace are still being worked on. Wait some seconds, and send it again.',
});

interface Waiting {
  readonly receiver: string;
  readonly tenant: string;
  readonly begin: () => void;
}

/**
 * Lets only so much be under way at once. Where several wait, the tenant with the least under way goes first, so that one
 * tenant's slow readers or long queries keep nobody else waiting.
 */
export class Turns {
  readonly #limits: TurnLimits;
  readonly #underWay = new Map<string, number>();
  /** In order, by tenant: however much waits of one, it is one line to look at. */
  readonly #waiting = new Map<string, Set<Waiting>>();
  #all = 0;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /** Does the work when its turn has come. */
  async run<A>(receiver: string, tenant: string, work: () => Promise<A>): Promise<A> {
    const turn = Promise.withResolvers<void>();
    const waiting: Waiting = { receiver, tenant, begin: turn.resolve };
    this.#lineOf(tenant).add(waiting);
    this.#beginNext();
    const timer = setTimeout(() => {
      if (this.#leave(waiting))
        turn.reject(new Refusal('service_unavailable', this.#limits.busy, { headers: { 'retry-after': '5' } }));
    }, this.#limits.waitMs);
    try {
      await turn.promise;
    } finally {
      clearTimeout(timer);
    }
    try {
      return await work();
    } finally {
      this.#count(waiting, -1);
      this.#beginNext();
    }
  }

  #beginNext(): void {
    for (let next = this.#first(); next; next = this.#first()) {
      this.#leave(next);
      this.#count(next, 1);
      next.begin();
    }
  }

  #lineOf(tenant: string): Set<Waiting> {
    const line = this.#waiting.get(tenant) ?? new Set();
    this.#waiting.set(tenant, line);
    return line;
  }

  /** Whether it still waited. */
  #leave(waiting: Waiting): boolean {
    const line = this.#waiting.get(waiting.tenant);
    const waited = line?.delete(waiting) ?? false;
    if (line?.size === 0) this.#waiting.delete(waiting.tenant);
    return waited;
  }

  /** Of those who may begin, the one whose tenant has the least under way; among equals, whose tenant has waited longest. */
  #first(): Waiting | undefined {
    let first: Waiting | undefined;
    for (const [tenant, line] of this.#waiting) {
      if (!this.#hasRoom(tenant) || (first && this.#of(tenant) >= this.#of(first.tenant))) continue;
      for (const waiting of line) {
        if (this.#of(waiting.receiver) >= this.#limits.perReceiver) continue;
        first = waiting;
        break;
      }
    }
    return first;
  }

  #hasRoom(tenant: string): boolean {
    const { perTenant, inAll } = this.#limits;
    const ofTenant = this.#of(tenant);
    return ofTenant < perTenant && (ofTenant === 0 || this.#all < inAll);
  }

  #of(name: string): number {
    return this.#underWay.get(name) ?? 0;
  }

  #count({ receiver, tenant }: Waiting, step: 1 | -1): void {
    this.#all += step;
    for (const name of [receiver, tenant]) {
      const count = this.#of(name) + step;
      if (count === 0) this.#underWay.delete(name);
      else this.#underWay.set(name, count);
    }
  }
}
