import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { keyObjectOf } from './keyed-hash.ts';

/**
 * Envelope encryption. Each secret has its own data key, which a master key from the settings wraps. A rotation of the master key rewraps
 * the small data keys and leaves the secrets unchanged.
 */
export interface Vault {
  seal(secret: string, place: SecretLocation): Buffer;
  open(sealed: Buffer, place: SecretLocation): string;
  /** Wraps the data key with the newest master key; undefined if it already is. */
  rewrap(sealed: Buffer, place: SecretLocation): Buffer | undefined;
  /** A key for one purpose from each master key, newest first. A derived key does not reveal the master key. */
  derive(purpose: string): readonly MasterKey[];
}

/** The location of a secret. It is authenticated, so a sealed value that is copied to another row, column or profile does not open. */
export interface SecretLocation {
  readonly table: string;
  readonly column: string;
  readonly row: string;
  readonly profileId: string;
}

export interface MasterKey {
  readonly id: string;
  readonly bytes: Buffer;
}

/** Wrong key, wrong location or changed bytes. It does not say which, because the difference would help an attacker. */
export class UnreadableSecret extends Error {
  override readonly name = 'UnreadableSecret';
}

/** The key may be newer than the keys that this process last read. The secret opens soon, or turns out to be unreadable. */
export class KeyNotLoaded extends Error {
  override readonly name = 'KeyNotLoaded';
}

/** The opened secret, or undefined if no key opens it any more. */
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
 * The first key seals; the others still open what they sealed. A function is called each time, so that keys can rotate. `isPending` returns
 * whether an unknown key may still be loaded.
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

  const wrap = (dataKey: Buffer, place: SecretLocation, nonce = randomBytes(nonceBytes)) => {
    const newest = newestOf();
    return Buffer.concat([
      Buffer.from([formatVersion, newest.id.length]),
      Buffer.from(newest.id, 'ascii'),
      encrypt(keyObjectOf(newest.bytes), nonce, dataKey, context(place, 'key')),
    ]);
  };

  const unwrap = (sealed: Buffer, place: SecretLocation) => {
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
      // One call for all random bytes, because the call costs as much as the encryption.
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

/** JSON is unambiguous: no two locations give the same bytes. */
function context({ table, column, row, profileId }: SecretLocation, part: 'key' | 'body'): Buffer {
  return Buffer.from(JSON.stringify([formatVersion, part, table, column, row, profileId]));
}

/** The location alone, for the other seal formats. */
export const placeBytes = ({ table, column, row, profileId }: SecretLocation): Buffer =>
  Buffer.from(JSON.stringify([table, column, row, profileId]));
