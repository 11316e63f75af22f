import { addressGroup, hashValue, type Leases, type Verdict } from '@tributary/redis';
import { limits } from '@tributary/vocabulary';
import type { Caller } from './handler.ts';
import { Refusal } from './refusal.ts';
import { threadMs } from './thread-time.ts';

/** Owner of a cost budget, with its limits per minute. */
export interface Payer {
  readonly id: string;
  readonly mebibytes: number;
  readonly processorMs: number;
}

/** The credential, or the client address for requests without one. */
export const payerOf = (caller: Caller | undefined, address: string): Payer =>
  caller
    ? { id: caller.credentialId, ...limits.costPerMinute.credential }
    : { id: hashValue(addressGroup(address).own), ...limits.costPerMinute.address };

/**
 * Budgets of bytes and processor time. A limit on the number of requests ignores their size: a key could block the process for all
 * other tenants with 1% of its requests.
 */
export class Costs {
  readonly #leases: Pick<Leases, 'take' | 'spend'>;

  constructor(leases: Pick<Leases, 'take' | 'spend'>) {
    this.#leases = leases;
  }

  /** Runs before the body is read. Charges the minimum of one millisecond. */
  admit({ id, processorMs }: Payer): void {
    const verdict = this.#leases.take(`time:${id}`, processorMs);
    if (!verdict.allowed)
      throw tooMuch(verdict, 'processor_time', `used more than ${processorMs / 1_000} seconds of processor time`);
  }

  /** Charges the measured time minus the millisecond of `admit`, even if the budget is already used up. */
  spend({ id, processorMs }: Payer, ms: number): void {
    const further = Math.ceil(ms) - 1;
    if (further > 0) this.#leases.spend(`time:${id}`, processorMs, further);
  }

  takeBytes({ id, mebibytes }: Payer, bytes: number): void {
    if (bytes === 0) return;
    const verdict = this.#leases.take(`bytes:${id}`, mebibytes * 1_024, Math.ceil(bytes / 1_024));
    if (!verdict.allowed) throw tooMuch(verdict, 'bytes', `contained more than ${mebibytes} MiB`);
  }
}

function tooMuch({ retryAfterSeconds: seconds }: Verdict, reason: string, what: string): Refusal {
  const wait = `Retry in ${seconds} second${seconds === 1 ? '' : 's'}.`;
  return new Refusal('rate_limit_exceeded', `Requests in the last minute ${what}. ${wait}`, {
    fields: { reason },
    headers: {
      'retry-after': String(seconds),
      'x-ratelimit-reset': String(Math.ceil(Date.now() / 1_000) + seconds),
    },
  });
}

/** Processor time of one request: parsing the body, the synchronous start of the handler, and serializing the response. */
export class Meter {
  #ms = 0;

  get ms(): number {
    return this.#ms;
  }

  readonly add = (ms: number): void => {
    this.#ms += ms;
  };

  /** Measures synchronous work. */
  measure<A>(work: () => A): A {
    const startedAt = threadMs();
    try {
      return work();
    } finally {
      this.#ms += threadMs() - startedAt;
    }
  }
}
