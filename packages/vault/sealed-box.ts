import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomFillSync,
} from 'node:crypto';
import { createVault, type MasterKey, placeBytes, type SecretLocation, UnreadableSecret, type Vault } from './vault.ts';

/**
 * Public-key encryption: the public key seals, and only the private key opens. X25519 with an ephemeral key pair of the sealer agrees on a
 * shared secret, HKDF derives a key from it, AES-256-GCM seals. The key agreement costs more than the rest, so a pair is reused for a
 * while.
 */
export interface PublicKey {
  readonly id: string;
  readonly bytes: Buffer;
}

const formatVersion = 2;
const pointBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const purpose = 'tributary sealed box';

/** A pair is replaced after a minute, or after a number of seals far below the limit for random nonces. */
const pairLivesMs = 60_000;
const mostSeals = 1 << 20;

/** The public half of a key of the ring. */
export const publicKeyOf = ({ id, bytes }: MasterKey): PublicKey => ({
  id,
  bytes: pointOf(createPublicKey(privateKeyOf(bytes))),
});

interface Pair {
  readonly recipient: string;
  readonly head: Buffer;
  readonly key: KeyObject;
  readonly until: number;
  seals: number;
}

/** Seals texts and arbitrary bytes. */
export interface Sealer extends Pick<Vault, 'seal'> {
  sealBytes(secret: Uint8Array, place: SecretLocation): Buffer;
}

export interface Opener extends Pick<Vault, 'open'> {
  openBytes(sealed: Buffer, place: SecretLocation): Buffer;
}

/** Seals for the newest of the keys. */
export function createSealer(keys: () => readonly PublicKey[], nowMs: () => number = Date.now): Sealer {
  let pair: Pair | undefined;
  // Random bytes for many nonces are fetched at once; each nonce is used once.
  const nonces = Buffer.alloc(nonceBytes * 256);
  let used = nonces.length;
  const nextNonce = (): Buffer => {
    if (used === nonces.length) {
      randomFillSync(nonces);
      used = 0;
    }
    used += nonceBytes;
    return nonces.subarray(used - nonceBytes, used);
  };
  const current = (): Pair => {
    const [newest] = keys();
    if (!newest) throw new TypeError('There is no public key to seal for. Run "tributary migrate", which makes one.');
    if (pair?.recipient !== newest.id || nowMs() >= pair.until || pair.seals >= mostSeals)
      pair = makePair(newest, nowMs() + pairLivesMs);
    return pair;
  };
  const sealBytes = (secret: Uint8Array, place: SecretLocation): Buffer => {
    const active = current();
    active.seals += 1;
    const nonce = nextNonce();
    const cipher = createCipheriv('aes-256-gcm', active.key, nonce, { authTagLength: tagBytes }).setAAD(
      placeBytes(place),
    );
    return Buffer.concat([active.head, nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
  };
  return { sealBytes, seal: (secret, place) => sealBytes(Buffer.from(secret, 'utf8'), place) };
}

function makePair({ id, bytes }: PublicKey, until: number): Pair {
  const { publicKey, privateKey } = generateKeyPairSync('x25519');
  const own = pointOf(publicKey);
  const head = Buffer.concat([Buffer.from([formatVersion, id.length]), Buffer.from(id, 'ascii'), own]);
  const shared = diffieHellman({ privateKey, publicKey: publicKeyFrom(bytes) });
  return { recipient: id, head, key: keyFrom(shared, own, bytes), until, seals: 0 };
}

/** Opens boxes for any of the keys, and secrets that one of the keys sealed itself before boxes existed. */
export function createOpener(keys: () => readonly MasterKey[]): Opener {
  const older = createVault(keys);
  // A sealer's pair seals thousands of messages, so the agreed key is cached.
  const agreed = new Map<string, KeyObject>();
  const keyOf = (id: string, point: Buffer): KeyObject => {
    const own = keys().find((one) => one.id === id);
    if (!own) throw new UnreadableSecret('No key opens this secret.');
    const name = `${id}:${point.toString('base64')}`;
    let key = agreed.get(name);
    if (!key) {
      const privateKey = privateKeyOf(own.bytes);
      const shared = agree(privateKey, point);
      key = keyFrom(shared, point, pointOf(createPublicKey(privateKey)));
      if (agreed.size >= maxAgreed) agreed.clear();
      agreed.set(name, key);
    }
    return key;
  };
  const openBytes = (sealed: Buffer, place: SecretLocation): Buffer => {
    const pointAt = 2 + (sealed[1] ?? 0);
    const nonceAt = pointAt + pointBytes;
    const bodyAt = nonceAt + nonceBytes;
    if (sealed[0] !== formatVersion || sealed.length < bodyAt + tagBytes)
      throw new UnreadableSecret('The ciphertext is too short.');
    const key = keyOf(sealed.toString('ascii', 2, pointAt), sealed.subarray(pointAt, nonceAt));
    return decrypt(key, sealed.subarray(nonceAt, bodyAt), sealed.subarray(bodyAt), place);
  };
  return {
    openBytes,
    open: (sealed, place) =>
      sealed[0] === formatVersion ? openBytes(sealed, place).toString('utf8') : older.open(sealed, place),
  };
}

const maxAgreed = 1_000;

function decrypt(key: KeyObject, nonce: Buffer, body: Buffer, place: SecretLocation): Buffer {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
      .setAAD(placeBytes(place))
      .setAuthTag(body.subarray(body.length - tagBytes));
    return Buffer.concat([decipher.update(body.subarray(0, body.length - tagBytes)), decipher.final()]);
  } catch {
    throw new UnreadableSecret('The secret does not open here: another key, another place, or changed bytes.');
  }
}

/** Some points yield no shared secret; OpenSSL rejects them. */
function agree(privateKey: KeyObject, point: Buffer): Buffer {
  try {
    return diffieHellman({ privateKey, publicKey: publicKeyFrom(point) });
  } catch {
    throw new UnreadableSecret('The secret does not open here: another key, another place, or changed bytes.');
  }
}

/** Derived from both public keys, so that a box for one key does not open with another. */
const keyFrom = (shared: Buffer, sealer: Buffer, recipient: Buffer): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync('sha256', shared, Buffer.concat([sealer, recipient]), purpose, 32)));

/**
 * The ring's bytes also wrap secrets from before boxes existed, so the private key is derived from them instead of being the same bytes.
 */
const privateKeyOf = (bytes: Buffer): KeyObject =>
  createPrivateKey({
    key: Buffer.concat([pkcs8Head, Buffer.from(hkdfSync('sha256', bytes, '', `${purpose}: private key`, pointBytes))]),
    format: 'der',
    type: 'pkcs8',
  });

const publicKeyFrom = (point: Buffer): KeyObject =>
  createPublicKey({ key: Buffer.concat([spkiHead, point]), format: 'der', type: 'spki' });

const pointOf = (key: KeyObject): Buffer => key.export({ format: 'der', type: 'spki' }).subarray(spkiHead.length);

/** The encoding of an X25519 key in RFC 8410: this header, then 32 bytes. */
const pkcs8Head = Buffer.from('302e020100300506032b656e04220420', 'hex');
const spkiHead = Buffer.from('302a300506032b656e032100', 'hex');
