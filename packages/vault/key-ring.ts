import { randomBytes } from 'node:crypto';
import { type KeyPurpose, keyPurposes } from '@tributary/vocabulary';
import { publicKeyOf } from './sealed-box.ts';
import { createVault, type MasterKey, type SecretLocation, type Vault } from './vault.ts';

/**
 * All purposes except those for names of browsers and of erased people. These names are stored permanently, and with another key they would
 * no longer match.
 */
export const rotatedPurposes: readonly KeyPurpose[] = keyPurposes.filter(
  (purpose) => purpose !== 'visitor' && purpose !== 'tombstone',
);

/**
 * A new key is used for sealing and signing when it is a minute old. Processes read the stored keys every half minute, so by then all of
 * them can open what it seals.
 */
export const settledAfterMs = 60_000;

/** A stored key, wrapped by a master key that is not stored. */
export interface StoredKey {
  readonly purpose: KeyPurpose;
  readonly id: string;
  readonly sealed: Buffer;
  /** Only for stream keys: the collector seals with it what only the worker can open. */
  readonly public_key?: Buffer | null;
}

export type LiveKey = StoredKey & { readonly created_at: Date };

/**
 * The index of the key that seals, in a list with the newest first: the newest settled one. The first key of an installation is used at
 * once.
 */
export function indexOfCurrent(newestFirst: readonly { readonly created_at: Date }[], now: Date): number {
  const settled = newestFirst.findIndex((key) => now.getTime() - key.created_at.getTime() >= settledAfterMs);
  return settled === -1 ? newestFirst.length - 1 : settled;
}

interface Ring {
  readonly newestFirst: readonly MasterKey[];
  readonly currentFirst: readonly MasterKey[];
}

/** Limit of tracked missing ids; more come from invalid data. */
const maxAbsent = 1_000;

/** The service's own keys, read again every half minute, and at once when a secret names an unknown key. */
export class KeyRing {
  readonly #master: Vault;
  readonly #load: () => Promise<readonly LiveKey[]>;
  readonly #now: () => Date;
  #rings: ReadonlyMap<KeyPurpose, Ring> = new Map();
  /** Unknown key ids: not looked up yet, or still missing after the stored keys were read again. */
  readonly #absent = new Map<string, 'requested' | 'gone'>();
  #reading: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `load` returns the live keys of all purposes, newest first. */
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
    const requested = [...this.#absent.keys()];
    const live = await this.#load();
    const rings = new Map<KeyPurpose, Ring>();
    for (const [purpose, stored] of Map.groupBy(live, (one) => one.purpose)) {
      const newestFirst = stored.map((one) => ({
        id: one.id,
        bytes: Buffer.from(this.#master.open(one.sealed, sealLocation(one)), 'base64'),
      }));
      const current = indexOfCurrent(stored, this.#now());
      rings.set(purpose, {
        newestFirst,
        currentFirst: [newestFirst[current] as MasterKey, ...newestFirst.toSpliced(current, 1)],
      });
    }
    this.#rings = rings;
    const liveIds = new Set(live.map(({ id }) => id));
    for (const id of requested)
      if (liveIds.has(id)) this.#absent.delete(id);
      else this.#absent.set(id, 'gone');
  }

  /** The first key is for new work; the others open what was made with them. */
  keys(purpose: KeyPurpose): readonly MasterKey[] {
    return this.#rings.get(purpose)?.currentFirst ?? [];
  }

  current(purpose: KeyPurpose): MasterKey {
    const [current] = this.keys(purpose);
    if (!current) throw new Error(`There is no ${purpose} key yet. Run "tributary keys rotate ${purpose}".`);
    return current;
  }

  /** The first key ever made, for hashes that must never change. */
  eldest(purpose: KeyPurpose): MasterKey {
    return this.#rings.get(purpose)?.newestFirst.at(-1) ?? this.current(purpose);
  }

  /** Ids of the current key and of newer ones that have not settled. */
  inUse(purpose: KeyPurpose): readonly string[] {
    const { newestFirst = [], currentFirst: [current] = [] } = this.#rings.get(purpose) ?? {};
    return newestFirst.slice(0, newestFirst.findIndex(({ id }) => id === current?.id) + 1).map(({ id }) => id);
  }

  /** Seals and opens secrets in PostgreSQL. */
  envelope(): Vault {
    return createVault(
      () => this.keys('envelope'),
      (id) => this.#isPending(id),
    );
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** True until the stored keys were read once more after the key was first missed. Starts that read. */
  #isPending(id: string): boolean {
    const state = this.#absent.get(id);
    if (state === 'gone') return false;
    if (this.#absent.size >= maxAbsent) this.#absent.clear();
    if (!state) this.#absent.set(id, 'requested');
    // While PostgreSQL is unavailable, the next call tries again.
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
    sealed: master.seal(bytes.toString('base64'), sealLocation({ purpose, id })),
    ...(purpose === 'stream' && { public_key: publicKeyOf({ id, bytes }).bytes }),
  };
}

/** The public half of a stored key. */
export function publicHalf(master: Vault, stored: StoredKey): Buffer {
  const bytes = Buffer.from(master.open(stored.sealed, sealLocation(stored)), 'base64');
  return publicKeyOf({ id: stored.id, bytes }).bytes;
}

/** The same key wrapped by the newest master key; undefined if it already is. */
export function rewrapKey(master: Vault, stored: StoredKey): StoredKey | undefined {
  const sealed = master.rewrap(stored.sealed, sealLocation(stored));
  return sealed && { ...stored, sealed };
}

const sealLocation = ({ purpose, id }: Pick<StoredKey, 'purpose' | 'id'>): SecretLocation => ({
  table: 'key_ring',
  column: 'sealed',
  row: `${purpose}:${id}`,
  profileId: '',
});
