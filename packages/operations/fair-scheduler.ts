import { Refusal } from './refusal.ts';

export interface SlotLimits {
  /** Slots of one client. Its further requests wait in order. */
  readonly perClient: number;
  readonly perTenant: number;
  /** Slots of all tenants. A tenant without any slot gets one even beyond this limit. */
  readonly total: number;
  readonly waitMs: number;
  /** Error message for a request that waited longer than `waitMs`. */
  readonly timeoutMessage: string;
}

/** Slots for requests: one tenant cannot use all PostgreSQL connections, and one credential cannot use all of its tenant's. */
export const requestSlots = (connections: number): SlotLimits => ({
  perClient: Math.ceil(connections / 2),
  perTenant: Math.ceil(connections * 0.8),
  total: connections * 2,
  waitMs: 20_000,
  timeoutMessage: 'Earlier requests of this workspace are still being processed. Retry in a few seconds.',
});

interface QueuedRequest {
  readonly client: string;
  readonly tenant: string;
  readonly start: () => void;
}

/**
 * Fair queueing with a concurrency limit. A free slot goes to the tenant with the fewest active slots, so that one tenant's slow
 * readers or long queries do not delay other tenants.
 */
export class FairScheduler {
  readonly #limits: SlotLimits;
  /** Active slots by client and by tenant. */
  readonly #active = new Map<string, number>();
  /** Queues by tenant, each in order of arrival. */
  readonly #queues = new Map<string, Set<QueuedRequest>>();
  #total = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** Waits for a slot, then runs the work in it. */
  async run<A>(client: string, tenant: string, work: () => Promise<A>): Promise<A> {
    const slot = Promise.withResolvers<void>();
    const queued: QueuedRequest = { client, tenant, start: slot.resolve };
    this.#queueOf(tenant).add(queued);
    this.#startNext();
    const timer = setTimeout(() => {
      if (this.#dequeue(queued))
        slot.reject(
          new Refusal('service_unavailable', this.#limits.timeoutMessage, { headers: { 'retry-after': '5' } }),
        );
    }, this.#limits.waitMs);
    try {
      await slot.promise;
    } finally {
      clearTimeout(timer);
    }
    try {
      return await work();
    } finally {
      this.#count(queued, -1);
      this.#startNext();
    }
  }

  #startNext(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      this.#dequeue(next);
      this.#count(next, 1);
      next.start();
    }
  }

  #queueOf(tenant: string): Set<QueuedRequest> {
    const queue = this.#queues.get(tenant) ?? new Set();
    this.#queues.set(tenant, queue);
    return queue;
  }

  /** Returns false if the request has already started or timed out. */
  #dequeue(request: QueuedRequest): boolean {
    const queue = this.#queues.get(request.tenant);
    const wasQueued = queue?.delete(request) ?? false;
    if (queue?.size === 0) this.#queues.delete(request.tenant);
    return wasQueued;
  }

  /** The next request that may start, of the tenant with the fewest active slots. Ties go to the tenant that has waited longest. */
  #next(): QueuedRequest | undefined {
    let next: QueuedRequest | undefined;
    for (const [tenant, queue] of this.#queues) {
      if (!this.#hasSlot(tenant) || (next && this.#activeOf(tenant) >= this.#activeOf(next.tenant))) continue;
      for (const request of queue) {
        if (this.#activeOf(request.client) >= this.#limits.perClient) continue;
        next = request;
        break;
      }
    }
    return next;
  }

  #hasSlot(tenant: string): boolean {
    const { perTenant, total } = this.#limits;
    const active = this.#activeOf(tenant);
    return active < perTenant && (active === 0 || this.#total < total);
  }

  #activeOf(name: string): number {
    return this.#active.get(name) ?? 0;
  }

  #count({ client, tenant }: QueuedRequest, step: 1 | -1): void {
    this.#total += step;
    for (const name of [client, tenant]) {
      const count = this.#activeOf(name) + step;
      if (count === 0) this.#active.delete(name);
      else this.#active.set(name, count);
    }
  }
}
