import type { Reply, SandboxRequest } from './route.ts';

/** A fault to inject: what fails, where and how often. */
export interface Fault {
  /** The prefix of the path, or a pattern: `/meta`, /\/insights$/. */
  readonly at: string | RegExp;
  readonly method?: string;
  /** How many calls fail; defaults to 1. */
  readonly times?: number;
  /** The fraction of matching calls that fail, from 0 to 1; defaults to all. */
  readonly share?: number;
  /** The response to send instead; the request is not executed. */
  readonly reply?: Reply | ((request: SandboxRequest) => Reply);
  /** The request is executed, but its response is `lost` (the connection closes without a byte) or `truncated` (a 200 with half its body). */
  readonly answer?: 'lost' | 'truncated';
  readonly delayMs?: number;
}

/** The injected faults, each until it has occurred often enough. */
export class Faults {
  #open: { fault: Fault; left: number }[] = [];
  readonly #chance: () => number;

  constructor(chance: () => number) {
    this.#chance = chance;
  }

  /** Injects a fault and returns a function that removes it. */
  say(fault: Fault): () => void {
    const entry = { fault, left: fault.times ?? 1 };
    this.#open.push(entry);
    return () => {
      this.#open = this.#open.filter((one) => one !== entry);
    };
  }

  next(request: SandboxRequest): Fault | undefined {
    for (const entry of this.#open) {
      if (!isMeant(entry.fault, request) || this.#chance() >= (entry.fault.share ?? 1)) continue;
      entry.left -= 1;
      if (entry.left <= 0) this.#open = this.#open.filter((one) => one !== entry);
      return entry.fault;
    }
    return undefined;
  }
}

function isMeant({ at, method }: Fault, request: SandboxRequest): boolean {
  if (method !== undefined && method !== request.method) return false;
  return typeof at === 'string' ? request.path.startsWith(at) : at.test(request.path);
}
