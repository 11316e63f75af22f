import { findWebhookSecrets, type SealedSecret } from '@tributary/domain/advertising/connections/intake.ts';
import type { LookUps } from '@tributary/postgres';
import type { Channel } from '@tributary/vocabulary';
import { LRUCache } from 'lru-cache';

/** PostgreSQL is unavailable, and no recent secrets are cached. */
export class SecretsUnavailable extends Error {
  override readonly name = 'SecretsUnavailable';
}

interface Entry {
  readonly secrets: readonly SealedSecret[];
  readonly loadedAt: number;
}

/** Younger entries are used without a lookup. */
const freshMs = 5_000;
/** If a signature does not match an older entry, the secret may have changed and is loaded again. */
export const recheckAfterMs = 1_000;
/** Maximum age of entries while PostgreSQL is unavailable. The worker verifies each webhook again in any case. */
const maxAgeMs = 60 * 60_000;
const timeoutMs = 2_000;
/** After a failed lookup, one request at a time retries after this pause. Others fail at once, so that their bodies leave memory. */
const retryPauseMs = 1_000;

/** Caches encrypted webhook secrets for seconds, and for an hour while PostgreSQL is unavailable. */
export class SecretCache {
  readonly #lookUps: LookUps;
  readonly #nowMs: () => number;
  readonly #found = new LRUCache<string, Entry>({ max: 20_000 });
  // Separate, so that made-up accounts cannot evict real ones.
  readonly #notFound = new LRUCache<string, Entry>({ max: 10_000 });
  readonly #pending = new Map<string, Promise<readonly SealedSecret[]>>();
  #retryAt = Number.NEGATIVE_INFINITY;

  constructor(lookUps: LookUps, nowMs: () => number = performance.now.bind(performance)) {
    this.#lookUps = lookUps;
    this.#nowMs = nowMs;
  }

  async find(channel: Channel, account: string, maxCachedMs = freshMs): Promise<readonly SealedSecret[]> {
    const name = `${channel}:${account}`;
    const cached = this.#found.get(name) ?? this.#notFound.get(name);
    const age = cached ? this.#nowMs() - cached.loadedAt : Number.POSITIVE_INFINITY;
    if (cached && age < maxCachedMs) return cached.secrets;
    const isUnavailable = this.#retryAt > Number.NEGATIVE_INFINITY;
    if (this.#nowMs() >= this.#retryAt) {
      if (isUnavailable) this.#retryAt = this.#nowMs() + timeoutMs;
      try {
        return await this.#load(name, channel, account);
      } catch (error) {
        this.#retryAt = this.#nowMs() + retryPauseMs;
        if (!cached || age >= maxAgeMs)
          throw new SecretsUnavailable('The secrets cannot be read because PostgreSQL is unavailable.', {
            cause: error,
          });
      }
    }
    if (cached && age < maxAgeMs) return cached.secrets;
    throw new SecretsUnavailable('The secrets cannot be read because PostgreSQL is unavailable.');
  }

  /** Concurrent requests of one account share a lookup. */
  #load(name: string, channel: Channel, account: string): Promise<readonly SealedSecret[]> {
    const pending = this.#pending.get(name);
    if (pending) return pending;
    const lookUp = this.#lookUp(name, channel, account).finally(() => this.#pending.delete(name));
    this.#pending.set(name, lookUp);
    return lookUp;
  }

  async #lookUp(name: string, channel: Channel, account: string): Promise<readonly SealedSecret[]> {
    const timeout = Promise.withResolvers<never>();
    const timer = setTimeout(() => timeout.reject(new Error('PostgreSQL took too long.')), timeoutMs);
    try {
      const secrets = await Promise.race([findWebhookSecrets(this.#lookUps, channel, account), timeout.promise]);
      this.#retryAt = Number.NEGATIVE_INFINITY;
      this.#found.delete(name);
      (secrets.length > 0 ? this.#found : this.#notFound).set(name, { secrets, loadedAt: this.#nowMs() });
      return secrets;
    } finally {
      clearTimeout(timer);
    }
  }
}
