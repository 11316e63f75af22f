import { addressGroup, hidden, type Leases, type Verdict } from '@tributary/redis';
import { limits } from '@tributary/vocabulary';
import type { Caller } from './handler.ts';
import { Refusal } from './refusal.ts';
import { threadMs } from './thread-time.ts';

/** Whose costs they are, and what they may be in a minute. */
export interface Payer {
  readonly id: string;
  readonly mebibytes: number;
  readonly processorMs: number;
}

/** A credential, or an address where nobody is known. */
export const payerOf = (caller: Caller | undefined, address: string): Payer =>
  caller
    ? { id: caller.credentialId, ...limits.costPerMinute.credential }
    : { id: hidden(addressGroup(address).own), ...limits.costPerMinute.address };

/**
 * What requests may cost beside their number. A request is one request however large it is: without this, a hundredth of a key's requests
 * could keep the process busy for every other tenant.
 */
export class Costs {
  readonly #leases: Pick<Leases, 'take' | 'spend'>;

  constructor(leases: Pick<Leases, 'take' | 'spend'>) {
    this.#leases = leases;
  }

  /** Before the body is read. No request is cheaper than a millisecond. */
  admit({ id, processorMs }: Payer): void {
    const verdict = this.#leases.take(`time:${id}`, processorMs);
    if (!verdict.allowed)
      throw tooMuch(verdict, 'processor_time', `took more than ${processorMs / 1_000} seconds of processor time`);
  }

  /** What was taken at the start is part of it. It is spent already, so it counts even where nothing is left. */
  spend({ id, processorMs }: Payer, ms: number): void {
    const further = Math.ceil(ms) - 1;
    if (further > 0) this.#leases.spend(`time:${id}`, processorMs, further);
  }

  takeBytes({ id, mebibytes }: Payer, bytes: number): void {
    if (bytes === 0) return;
    const verdict = this.#leases.take(`bytes:${id}`, mebibytes * 1_024, Math.ceil(bytes / 1_024));
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
    const startedAt = threadMs();
    try {
      return work();
    } finally {
      this.#ms += threadMs() - startedAt;
    }
  }
}
