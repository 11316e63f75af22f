import { randomBytes } from 'node:crypto';
import { type KeyPurpose, keyPurposes } from '@tributary/vocabulary';
import { publicKeyOf } from './sealed-box.ts';
import type { MasterKey, SecretPlace, Vault } from './vault.ts';

/**
 * All but those that name browsers and people who were erased: these names are stored for good, and under another key each would
 * be a stranger.
 */
export const rotatedPurposes: readonly KeyPurpose[] = keyPurposes.filter(
  (purpose) => purpose !== 'visitor' && purpose !== 'tombstone',
);

/** A key as it is stored: wrapped by a master key, which is not. */
export interface StoredKey {
  readonly purpose: KeyPurpose;
  readonly id: string;
  readonly sealed: Buffer;
  /** Of the stream's keys: with it the collector seals what only the worker opens. */
  readonly public_key?: Buffer | null;
}

/**
 * The service's own keys while it runs. A rotation elsewhere reaches it within the time between two looks, and at once when
 * something was made with a key that it does not know yet.
 */
export class KeyRing {
  readonly #master: Vault;
  readonly #load: () => Promise<readonly StoredKey[]>;
  #keys: ReadonlyMap<KeyPurpose, readonly MasterKey[]> = new Map();
  #timer: NodeJS.Timeout | undefined;

  /** `load` gives the live keys of all purposes, newest first. */
  constructor(master: Vault, load: () => Promise<readonly StoredKey[]>) {
    this.#master = master;
    this.#load = load;
  }

  async open(refreshMs: number, onError: (error: unknown) => void): Promise<this> {
    await this.refresh();
    this.#timer = setInterval(() => void this.refresh().catch(onError), refreshMs).unref();
    return this;
  }

  async refresh(): Promise<void> {
    const keys = new Map<KeyPurpose, MasterKey[]>();
    for (const stored of await this.#load()) {
      const bytes = Buffer.from(this.#master.open(stored.sealed, place(stored)), 'base64');
      keys.set(stored.purpose, [...(keys.get(stored.purpose) ?? []), { id: stored.id, bytes }]);
    }
    this.#keys = keys;
  }

  /** Newest first; the first is for new work. */
  keys(purpose: KeyPurpose): readonly MasterKey[] {
    return this.#keys.get(purpose) ?? [];
  }

  current(purpose: KeyPurpose): MasterKey {
    const [newest] = this.keys(purpose);
    if (!newest) throw new Error(`There is no ${purpose} key yet. Run "tributary keys rotate ${purpose}".`);
    return newest;
  }

  /** The first that was ever made: for what must come out the same for ever. */
  eldest(purpose: KeyPurpose): MasterKey {
    return this.keys(purpose).at(-1) ?? this.current(purpose);
  }

  /** By its id; one that is not known may be newer than our last look. */
  async find(purpose: KeyPurpose, id: string): Promise<MasterKey | undefined> {
    const known = this.keys(purpose).find((key) => key.id === id);
    if (known) return known;
    await this.refresh();
    return this.keys(purpose).find((key) => key.id === id);
  }

  close(): void {
    clearInterval(this.#timer);
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
