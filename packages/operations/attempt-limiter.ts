import { addressGroup, hashValue } from '@tributary/redis';

/** How long a valid credential is exempt after other attempts from its address were blocked. */
const exemptForMs = 10 * 60_000;
const maxAddresses = 10_000;
const maxCredentials = 50_000;

/**
 * Blocks addresses that have used up their attempts at credentials. Until they have some again, their credentials are not looked
 * up, so guessing does not load the ledger. A credential that was recently valid is exempt, and is looked up as usual.
 */
export class AttemptLimiter {
  readonly #blockedUntil = new Map<string, number>();
  readonly #exemptUntil = new Map<string, number>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** The seconds until the address may try again; undefined if it may try now or shows a recently valid credential. */
  secondsUntilAllowed(address: string, credential: string): number | undefined {
    const remainingMs = (this.#blockedUntil.get(addressGroup(address).own) ?? 0) - this.#nowMs();
    if (remainingMs <= 0) return undefined;
    const isExempt = (this.#exemptUntil.get(hashValue(credential)) ?? 0) > this.#nowMs();
    return isExempt ? undefined : Math.ceil(remainingMs / 1_000);
  }

  block(address: string, seconds: number): void {
    setBounded(this.#blockedUntil, addressGroup(address).own, this.#nowMs() + seconds * 1_000, maxAddresses);
  }

  exempt(credential: string): void {
    setBounded(this.#exemptUntil, hashValue(credential), this.#nowMs() + exemptForMs, maxCredentials);
  }
}

/** Map keeps insertion order, so its first key is the oldest entry. */
function setBounded(map: Map<string, number>, key: string, value: number, max: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > max) map.delete(map.keys().next().value as string);
}
