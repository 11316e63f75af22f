import { addressGroup, hidden, type Leases, type Verdict } from '@tributary/redis';
import { limits } from '@tributary/vocabulary';
import type { Caller } from './handler.ts';
import { Refusal } from './refusal.ts';

/** Whose costs they are: a credential's, or an address's where nobody is known. */
export const payerOf = (caller: Caller | undefined, address: string): string =>
  caller?.credentialId ?? hidden(addressGroup(address).own);

/** A minute's. */
interface Budget {
  readonly mebibytes: number;
  readonly processorMs: number;
}

/**
 * What requests may cost beside their number. A request is one request however large it is: without this, a hundredth of a key's requests
 * could keep the process busy for every other tenant.
 */
export class Costs {
  readonly #leases: Pick<Leases, 'take' | 'spend'>;
  readonly #budget: Budget;

  constructor(leases: Pick<Leases, 'take' | 'spend'>, budget: Budget = limits.costPerMinute) {
    this.#leases = leases;
    this.#budget = budget;
  }

  /** Before the body is read. No request is cheaper than a millisecond. */
  admit(payer: string): void {
    const { processorMs } = this.#budget;
    const verdict = this.#leases.take(`time:${payer}`, processorMs);
    if (!verdict.allowed)
      throw tooMuch(verdict, 'processor_time', `took more than ${processorMs / 1_000} seconds of processor time`);
  }

  /** What was taken at the start is part of it. It is spent already, so it counts even where nothing is left. */
  spend(payer: string, ms: number): void {
    const further = Math.ceil(ms) - 1;
    if (further > 0) this.#leases.spend(`time:${payer}`, this.#budget.processorMs, further);
  }

  takeBytes(payer: string, bytes: number): void {
    if (bytes === 0) return;
    const { mebibytes } = this.#budget;
    const verdict = this.#leases.take(`bytes:${payer}`, mebibytes * 1_024, Math.ceil(bytes / 1_024));
    if (!verdict.allowed) throw tooMuch(verdict, 'bytes', `held more than ${mebibytes} MiB`);
  }
}

function tooMuch({ retryAfterSeconds: seconds }: Verdict, reason: string, what: string): Refusal {
  const wait = `Wait ${seconds} second${seconds === 1 ? '' : 's'} and send it again.`;
  return new Refusal('rate_limit_exceeded', `The requests of the last minute ${what}. ${wait}`, {
    fields: { reason },
    headers: {
      'retry-after': String(seconds),
      'x-ratelimit-reset': String(Math.ceil(Date.now() / 1_000) + seconds),
    },
  });
}

/** How long a call kept the process busy, as far as that grows with what is sent and asked: reading, beginning, writing. */
export class Meter {
  #ms = 0;

  get ms(): number {
    return this.#ms;
  }

  readonly add = (ms: number): void => {
    this.#ms += ms;
  };

  /** Of work that waits for nothing: until it returns. */
  measure<A>(work: () => A): A {
    const startedAt = performance.now();
    try {
      return work();
    } finally {
      this.#ms += performance.now() - startedAt;
    }
  }
}
