import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { MasterKey } from '@tributary/vault';

export interface LinkTokenContent {
  readonly customerId: string;
  readonly expiresAt: Date;
}

/**
 * A token is a random nonce, followed by customer id and expiry, encrypted with AES-256-GCM under a key derived from the nonce. The profile id is
 * authenticated but not included. Tokens have no version, key id or counter, so that no two tokens share a part, even for the same customer.
 */
const nonceBytes = 16;
const idBytes = 16;
/** Milliseconds since 1970, enough until the year 10889. */
const timeBytes = 6;
const tagBytes = 16;
const tokenBytes = nonceBytes + idBytes + timeBytes + tagBytes;
/** A multiple of three bytes leaves no unused bits in base64url, so that each token has exactly one spelling. */
const shape = new RegExp(`^[A-Za-z0-9_-]{${(tokenBytes / 3) * 4}}$`);

export function sealLinkToken({ bytes }: MasterKey, profileId: string, content: LinkTokenContent): string {
  const nonce = randomBytes(nonceBytes);
  const plain = Buffer.alloc(idBytes + timeBytes);
  plain.write(content.customerId.replaceAll('-', ''), 'hex');
  plain.writeUIntBE(content.expiresAt.getTime(), idBytes, timeBytes);
  const { key, iv } = deriveKey(bytes, nonce);
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: tagBytes }).setAAD(Buffer.from(profileId));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

/** Returns undefined for a token that is expired, modified, or not minted with one of these keys for this profile. */
export function openLinkToken(
  keys: readonly MasterKey[],
  profileId: string,
  token: string,
  at: Date,
): LinkTokenContent | undefined {
  if (!shape.test(token)) return undefined;
  const sealed = Buffer.from(token, 'base64url');
  for (const { bytes } of keys) {
    const plain = decrypt(bytes, profileId, sealed);
    if (!plain) continue;
    const expiresAt = new Date(plain.readUIntBE(idBytes, timeBytes));
    return at <= expiresAt ? { customerId: toUuid(plain.subarray(0, idBytes)), expiresAt } : undefined;
  }
  return undefined;
}

/** Resolves tokens to customer ids for the visit pipeline. Reads the keys on each call, because they rotate. */
export const createLinkTokenReader =
  (keys: () => readonly MasterKey[]) =>
  (profileId: string, token: string, at: Date): string | undefined =>
    openLinkToken(keys(), profileId, token, at)?.customerId;

function decrypt(secret: Buffer, profileId: string, sealed: Buffer): Buffer | undefined {
  const { key, iv } = deriveKey(secret, sealed.subarray(0, nonceBytes));
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: tagBytes })
      .setAAD(Buffer.from(profileId))
      .setAuthTag(sealed.subarray(tokenBytes - tagBytes));
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, tokenBytes - tagBytes)), decipher.final()]);
  } catch {
    return undefined;
  }
}

/** Derives a key and an initialisation vector per token, so that no pair of them is ever reused. */
function deriveKey(secret: Buffer, nonce: Buffer): { key: Buffer; iv: Buffer } {
  const derived = Buffer.from(hkdfSync('sha256', secret, nonce, 'tributary link token', 32 + 12));
  return { key: derived.subarray(0, 32), iv: derived.subarray(32) };
}

function toUuid(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
