import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { keyObjectOf } from './keyed-hash.ts';

/**
 * Envelope encryption. Each secret has a data key of its own; a master key from the settings wraps that data key. Rotating
 * the master key rewraps the small data keys and leaves the secrets as they are.
 */
export interface Vault {
  seal(secret: string, place: SecretPlace): Buffer;
  open(sealed: Buffer, place: SecretPlace): string;
  /** Wraps the data key anew under the newest master key; undefined when it already is. */
  rewrap(sealed: Buffer, place: SecretPlace): Buffer | undefined;
  /** A key for one purpose from each master key, newest first. Whoever holds one learns nothing of the master key. */
  derive(purpose: string): readonly MasterKey[];
}

/** Where a secret stands. It is part of the seal, so a sealed value copied to another row, column or profile does not open. */
export interface SecretPlace {
  readonly table: string;
  readonly column: string;
  readonly row: string;
  readonly profileId: string;
}

export interface MasterKey {
  readonly id: string;
  readonly bytes: Buffer;
}

/** Wrong key, wrong place or changed bytes: which of them is not said, because the difference would help an attacker. */
export class UnreadableSecret extends Error {
  override readonly name = 'UnreadableSecret';
}

/** The key is unknown, but may be newer than the loaded keys. A retry either decrypts the secret or reports it as unreadable. */
export class KeyNotLoaded extends Error {
  override readonly name = 'KeyNotLoaded';
}

/** What opens, or undefined for what no key opens any more. */
export function tryOpen<T>(open: () => T): T | undefined {
  try {
    return open();
  } catch (error) {
    if (error instanceof UnreadableSecret) return undefined;
    throw error;
  }
}

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
const keyBytes = 32;
const wrappedBytes = nonceBytes + keyBytes + tagBytes;
const formatVersion = 1;

/**
 * The first key encrypts; the others only decrypt. `source` can be a function that is called each time, so that keys can rotate.
 * `isPending` tells whether an unknown key may still be loaded.
 */
export function createVault(
  source: readonly MasterKey[] | (() => readonly MasterKey[]),
  isPending: (id: string) => boolean = () => false,
): Vault {
  const ring = typeof source === 'function' ? source : () => source;
  const newestOf = () => {
    const [newest] = ring();
    if (!newest)
      throw new TypeError('The vault has no key. ENCRYPTION_KEYS and "tributary keys rotate envelope" give it one.');
    return newest;
  };
  if (typeof source !== 'function') newestOf();

  const wrap = (dataKey: Buffer, place: SecretPlace, nonce = randomBytes(nonceBytes)) => {
    const newest = newestOf();
    return Buffer.concat([
      Buffer.from([formatVersion, newest.id.length]),
      Buffer.from(newest.id, 'ascii'),
      encrypt(keyObjectOf(newest.bytes), nonce, dataKey, context(place, 'key')),
    ]);
  };

  const unwrap = (sealed: Buffer, place: SecretPlace) => {
    const idEnd = 2 + (sealed[1] ?? 0);
    const id = sealed.toString('ascii', 2, idEnd);
    const master = ring().find((key) => key.id === id);
    if (sealed[0] === formatVersion && id !== '' && !master && isPending(id))
      throw new KeyNotLoaded('The key of this secret is not loaded yet.');
    if (sealed[0] !== formatVersion || !master) throw new UnreadableSecret('No master key opens this secret.');
    const bodyStart = idEnd + wrappedBytes;
    const dataKey = decrypt(keyObjectOf(master.bytes), sealed.subarray(idEnd, bodyStart), context(place, 'key'));
    return { masterId: id, dataKey, body: sealed.subarray(bodyStart) };
  };

  return {
    seal(secret, place) {
      // One look at the kernel's randomness for all three: it costs as much as the encryption.
      const random = randomBytes(keyBytes + 2 * nonceBytes);
      const dataKey = random.subarray(0, keyBytes);
      const [first, second] = [
        random.subarray(keyBytes, keyBytes + nonceBytes),
        random.subarray(keyBytes + nonceBytes),
      ];
      const body = encrypt(createSecretKey(dataKey), second, Buffer.from(secret, 'utf8'), context(place, 'body'));
      return Buffer.concat([wrap(dataKey, place, first), body]);
    },
    open(sealed, place) {
      const { dataKey, body } = unwrap(sealed, place);
      return decrypt(createSecretKey(dataKey), body, context(place, 'body')).toString('utf8');
    },
    rewrap(sealed, place) {
      const { masterId, dataKey, body } = unwrap(sealed, place);
      return masterId === newestOf().id ? undefined : Buffer.concat([wrap(dataKey, place), body]);
    },
    derive: (purpose) =>
      ring().map(({ id, bytes }) => ({ id, bytes: Buffer.from(hkdfSync('sha256', bytes, '', purpose, keyBytes)) })),
  };
}

function encrypt(key: KeyObject, nonce: Buffer, plain: Buffer, associated: Buffer): Buffer {
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(associated);
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: KeyObject, sealed: Buffer, associated: Buffer): Buffer {
  try {
    const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes })
      .setAAD(associated)
      .setAuthTag(sealed.subarray(sealed.length - tagBytes));
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, sealed.length - tagBytes)), decipher.final()]);
  } catch {
    throw new UnreadableSecret('The secret does not open here: another key, another place, or changed bytes.');
  }
}

/** A list in JSON, so that no two different places give the same bytes. */
function context({ table, column, row, profileId }: SecretPlace, part: 'key' | 'body'): Buffer {
  return Buffer.from(JSON.stringify([formatVersion, part, table, column, row, profileId]));
}

/** The place alone, for a seal of another form. */
export const placeBytes = ({ table, column, row, profileId }: SecretPlace): Buffer =>
  Buffer.from(JSON.stringify([table, column, row, profileId]));
