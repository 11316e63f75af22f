import { addressGroup, hidden } from '@tributary/redis';

/** How long a credential that was good lets its bearer pass where others of the address are sent away. */
const knownForMs = 10 * 60_000;
const mostAddresses = 10_000;
const mostCredentials = 50_000;

/**
 * Which addresses have used up their guesses at credentials. Until they have some again, what they show is not looked up:
 * guessing costs the ledger nothing. Somebody whose credential was good a while ago is let through; it is looked up as ever.
 */
export class Door {
  readonly #closed = new Map<string, number>();
  readonly #known = new Map<string, number>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** In how many seconds the address may guess again, if what it shows now would be a guess. */
  closedFor(address: string, shown: string): number | undefined {
    const leftMs = (this.#closed.get(addressGroup(address).own) ?? 0) - this.#nowMs();
    if (leftMs <= 0) return undefined;
    const isKnown = (this.#known.get(hidden(shown)) ?? 0) > this.#nowMs();
    return isKnown ? undefined : Math.ceil(leftMs / 1_000);
  }

  close(address: string, seconds: number): void {
    put(this.#closed, addressGroup(address).own, this.#nowMs() + seconds * 1_000, mostAddresses);
  }

  wasGood(shown: string): void {
    put(this.#known, hidden(shown), this.#nowMs() + knownForMs, mostCredentials);
  }
}

/** The first key of the map is the one that was put in longest ago. */
function put(map: Map<string, number>, key: string, value: number, most: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > most) map.delete(map.keys().next().value as string);
}
