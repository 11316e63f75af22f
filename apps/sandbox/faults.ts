import type { Asked, Reply } from './route.ts';

/** What goes wrong, where and how often. */
export interface Fault {
  /** How the path begins, or what it looks like: `/meta`, /\/insights$/. */
  readonly at: string | RegExp;
  readonly method?: string;
  /** So many calls meet it; 1 unless told. */
  readonly times?: number;
  /** Of the calls that could meet it, from 0 to 1; all unless told. */
  readonly share?: number;
  /** Answered instead, and nothing is done. */
  readonly reply?: Reply | ((asked: Asked) => Reply);
  /** Done, but the answer is `lost` (the connection ends without a byte) or `truncated` (a 200 with half its body). */
  readonly answer?: 'lost' | 'truncated';
  readonly delayMs?: number;
}

/** The faults that were asked for, each until it has happened often enough. */
export class Faults {
  #open: { fault: Fault; left: number }[] = [];
  readonly #chance: () => number;

  constructor(chance: () => number) {
    this.#chance = chance;
  }

  /** Gives back what takes it away again. */
  say(fault: Fault): () => void {
    const entry = { fault, left: fault.times ?? 1 };
    this.#open.push(entry);
    return () => {
      this.#open = this.#open.filter((one) => one !== entry);
    };
  }

  next(asked: Asked): Fault | undefined {
    for (const entry of this.#open) {
      if (!isMeant(entry.fault, asked) || this.#chance() >= (entry.fault.share ?? 1)) continue;
      entry.left -= 1;
      if (entry.left <= 0) this.#open = this.#open.filter((one) => one !== entry);
      return entry.fault;
    }
    return undefined;
  }
}

function isMeant({ at, method }: Fault, asked: Asked): boolean {
  if (method !== undefined && method !== asked.method) return false;
  return typeof at === 'string' ? asked.path.startsWith(at) : at.test(asked.path);
}
