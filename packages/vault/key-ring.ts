import { randomBytes } from 'node:crypto';
import { type KeyPurpose, keyPurposes } from '@tributary/vocabulary';
import { publicKeyOf } from './sealed-box.ts';
import { createVault, type MasterKey, type SecretPlace, type Vault } from './vault.ts';

/**
 * All but those that name browsers and people who were erased: these names are stored for good, and under another key each would
 * be a stranger.
 */
export const rotatedPurposes: readonly KeyPurpose[] = keyPurposes.filter(
  (purpose) => purpose !== 'visitor' && purpose !== 'tombstone',
);

/**
 * A new key encrypts and signs once it is a minute old. Processes reload the stored keys every 30 seconds, so every process can then
 * decrypt with it.
 */
export const settledAfterMs = 60_000;

/** A key as it is stored: wrapped by a master key, which is not. */
export interface StoredKey {
  readonly purpose: KeyPurpose;
  readonly id: string;
  readonly sealed: Buffer;
  /** Of the stream's keys: with it the collector seals what only the worker opens. */
  readonly public_key?: Buffer | null;
}

export type LiveKey = StoredKey & { readonly created_at: Date };

/**
 * Index of the key that encrypts, in a list of keys from newest to oldest: the newest that has settled. Without a settled key, it is
 * the oldest, as in a new installation.
 */
export function indexOfCurrent(newestFirst: readonly { readonly created_at: Date }[], now: Date): number {
  const settled = newestFirst.findIndex((key) => now.getTime() - key.created_at.getTime() >= settledAfterMs);
  return settled === -1 ? newestFirst.length - 1 : settled;
}

interface Ring {
  readonly newestFirst: readonly MasterKey[];
  readonly currentFirst: readonly MasterKey[];
}

/** Limit of remembered ids: a real installation has fewer keys, so the others are made up. */
const maxUnknown = 1_000;

/** The keys of the service in memory. Reloaded every 30 seconds, and at once when a secret names an unknown key. */
export class KeyRing {
  readonly #master: Vault;
  readonly #load: () => Promise<readonly LiveKey[]>;
  readonly #now: () => Date;
  #rings: ReadonlyMap<KeyPurpose, Ring> = new Map();
  /** Unknown key ids: `pending` until the stored keys were reloaded, then `missing`. */
  readonly #unknown = new Map<string, 'pending' | 'missing'>();
  #reading: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `load` gives the live keys of all purposes, newest first. */
  constructor(master: Vault, load: () => Promise<readonly LiveKey[]>, now: () => Date = () => new Date()) {
    this.#master = master;
    this.#load = load;
    this.#now = now;
  }

  async open(refreshMs: number, onError: (error: unknown) => void): Promise<this> {
    await this.refresh();
    this.#timer = setInterval(() => void this.refresh().catch(onError), refreshMs).unref();
    return this;
  }

  async refresh(): Promise<void> {
    const unknown = [...this.#unknown.keys()];
    const live = await this.#load();
    const rings = new Map<KeyPurpose, Ring>();
    for (const [purpose, stored] of Map.groupBy(live, (one) => one.purpose)) {
      const newestFirst = stored.map((one) => ({
        id: one.id,
        bytes: Buffer.from(this.#master.open(one.sealed, place(one)), 'base64'),
      }));
      const current = indexOfCurrent(stored, this.#now());
      rings.set(purpose, {
        newestFirst,
        currentFirst: [newestFirst[current] as MasterKey, ...newestFirst.toSpliced(current, 1)],
      });
    }
    this.#rings = rings;
    const ids = new Set(live.map(({ id }) => id));
    for (const id of unknown)
      if (ids.has(id)) this.#unknown.delete(id);
      else this.#unknown.set(id, 'missing');
  }

  /** The first key encrypts and signs; the others only decrypt and verify. */
  keys(purpose: KeyPurpose): readonly MasterKey[] {
    return this.#rings.get(purpose)?.currentFirst ?? [];
  }

  current(purpose: KeyPurpose): MasterKey {
    const [current] = this.keys(purpose);
    if (!current) throw new Error(`There is no ${purpose} key yet. Run "tributary keys rotate ${purpose}".`);
    return current;
  }

  /** The first that was ever made: for what must come out the same for ever. */
  eldest(purpose: KeyPurpose): MasterKey {
    return this.#rings.get(purpose)?.newestFirst.at(-1) ?? this.current(purpose);
  }

  /** Ids of the current key and of newer ones that have not settled. */
  inUse(purpose: KeyPurpose): readonly string[] {
    const { newestFirst = [], currentFirst: [current] = [] } = this.#rings.get(purpose) ?? {};
    return newestFirst.slice(0, newestFirst.findIndex(({ id }) => id === current?.id) + 1).map(({ id }) => id);
  }

  /** Encrypts and decrypts values stored in PostgreSQL. */
  envelope(): Vault {
    return createVault(
      () => this.keys('envelope'),
      (id) => this.#isPending(id),
    );
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Whether an unknown key may still be found by a reload. Starts the reload. */
  #isPending(id: string): boolean {
    const state = this.#unknown.get(id);
    if (state === 'missing') return false;
    if (this.#unknown.size >= maxUnknown) this.#unknown.clear();
    if (!state) this.#unknown.set(id, 'pending');
    // If PostgreSQL is unavailable, the next call tries again.
    this.#reading ??= this.refresh()
      .catch(() => {})
      .finally(() => {
        this.#reading = undefined;
      });
    return true;
  }
}

/** A new key, ready to be stored. */
export function makeKey(master: Vault, purpose: KeyPurpose): StoredKey {
  const id = randomBytes(5).toString('hex');
  const bytes = randomBytes(32);
  return {
    purpose,
    id,
    sealed: master.seal(bytes.toString('base64'), place({ purpose, id })),
    ...(purpose === 'stream' && { public_key: publicKeyOf({ id, bytes }).bytes }),
  };
}

/** The public half of a stored key. */
export function publicHalf(master: Vault, stored: StoredKey): Buffer {
  const bytes = Buffer.from(master.open(stored.sealed, place(stored)), 'base64');
  return publicKeyOf({ id: stored.id, bytes }).bytes;
}

/** The same key under the newest master key; undefined when it already is. */
export function rewrapKey(master: Vault, stored: StoredKey): StoredKey | undefined {
  const sealed = master.rewrap(stored.sealed, place(stored));
  return sealed && { ...stored, sealed };
}

const place = ({ purpose, id }: Pick<StoredKey, 'purpose' | 'id'>): SecretPlace => ({
  table: 'key_ring',
  column: 'sealed',
  row: `${purpose}:${id}`,
  profileId: '',
});
