import { Refusal } from './refusal.ts';

const busy = 'Earlier answers to you have not left yet. Read them, or wait some seconds, and send it again.';

export interface TurnLimits {
  /** At once for the same receiver, so that requests sent all at once are served one after the other. */
  readonly perReceiver: number;
  readonly perTenant: number;
  /** At once for everybody. A tenant that has nothing under way gets its turn all the same. */
  readonly inAll: number;
  readonly waitMs: number;
}

interface Waiting {
  readonly receiver: string;
  readonly tenant: string;
  readonly begin: () => void;
}

/**
 * Lets only so much be under way at once. Where several wait, the tenant with the least under way goes first, so that one
 * tenant's slow readers keep nobody else waiting.
 */
export class Turns {
  readonly #limits: TurnLimits;
  readonly #underWay = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  #all = 0;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /** Does the work when its turn has come. */
  async run<A>(receiver: string, tenant: string, work: () => Promise<A>): Promise<A> {
    const turn = Promise.withResolvers<void>();
    const waiting: Waiting = { receiver, tenant, begin: turn.resolve };
    this.#waiting.add(waiting);
    this.#beginNext();
    const timer = setTimeout(() => {
      if (this.#waiting.delete(waiting))
        turn.reject(new Refusal('service_unavailable', busy, { headers: { 'retry-after': '5' } }));
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
      this.#waiting.delete(next);
      this.#count(next, 1);
      next.begin();
    }
  }

  /** Of those who may begin, the one whose tenant has the least under way; among equals, who came first. */
  #first(): Waiting | undefined {
    let first: Waiting | undefined;
    for (const waiting of this.#waiting) {
      if (this.#mayBegin(waiting) && (!first || this.#of(waiting.tenant) < this.#of(first.tenant))) first = waiting;
    }
    return first;
  }

  #mayBegin({ receiver, tenant }: Waiting): boolean {
    const { perReceiver, perTenant, inAll } = this.#limits;
    const ofTenant = this.#of(tenant);
    return this.#of(receiver) < perReceiver && ofTenant < perTenant && (ofTenant === 0 || this.#all < inAll);
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
