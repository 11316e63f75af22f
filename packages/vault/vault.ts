import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/**
 * Envelope encryption. Each secret has a data key of its own; a master key from the settings wraps that data key. Rotating
 * the master key rewraps the small data keys and leaves the secrets as they are.
 */
export interface Vault {
  seal(secret: string, place: SecretPlace): Buffer;
  open(sealed: Buffer, place: SecretPlace): string;
  /** Wraps the data key anew under the newest master key; undefined when it already is. */
  rewrap(sealed: Buffer, place: SecretPlace): Buffer | undefined;
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

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
const keyBytes = 32;
const wrappedBytes = nonceBytes + keyBytes + tagBytes;
const formatVersion = 1;

/** The first key seals; the others still open what they sealed. */
export function createVault(keys: readonly MasterKey[]): Vault {
  const newest = keys[0];
  if (!newest) throw new TypeError('The vault needs at least one master key (ENCRYPTION_KEYS).');

  const wrap = (dataKey: Buffer, place: SecretPlace) =>
    Buffer.concat([
      Buffer.from([formatVersion, newest.id.length]),
      Buffer.from(newest.id, 'ascii'),
      encrypt(newest.bytes, dataKey, context(place, 'key')),
    ]);

  const unwrap = (sealed: Buffer, place: SecretPlace) => {
    const idEnd = 2 + (sealed[1] ?? 0);
    const id = sealed.toString('ascii', 2, idEnd);
    const master = keys.find((key) => key.id === id);
    if (sealed[0] !== formatVersion || !master) throw new UnreadableSecret('No master key opens this secret.');
    const bodyStart = idEnd + wrappedBytes;
    const dataKey = decrypt(master.bytes, sealed.subarray(idEnd, bodyStart), context(place, 'key'));
    return { masterId: id, dataKey, body: sealed.subarray(bodyStart) };
  };

  return {
    seal(secret, place) {
      const dataKey = randomBytes(keyBytes);
      return Buffer.concat([
        wrap(dataKey, place),
        encrypt(dataKey, Buffer.from(secret, 'utf8'), context(place, 'body')),
      ]);
    },
    open(sealed, place) {
      const { dataKey, body } = unwrap(sealed, place);
      return decrypt(dataKey, body, context(place, 'body')).toString('utf8');
    },
    rewrap(sealed, place) {
      const { masterId, dataKey, body } = unwrap(sealed, place);
      return masterId === newest.id ? undefined : Buffer.concat([wrap(dataKey, place), body]);
    },
  };
}

function encrypt(key: Buffer, plain: Buffer, associated: Buffer): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(associated);
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Buffer, sealed: Buffer, associated: Buffer): Buffer {
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
