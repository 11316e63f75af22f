import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { MasterKey } from '@tributary/vault';

/** Who a token is for, and until when. */
export interface LinkTokenContent {
  readonly customerId: string;
  readonly expiresAt: Date;
}

/**
 * A token is a random nonce, and under a key made from it the customer and the last moment, encrypted and signed (AES-256-GCM).
 * The profile is signed with it and does not stand in it. No part of a token is the same in another one, not even of the same
 * customer: there is no version, no id of the key and no counter in it.
 */
const nonceBytes = 16;
const idBytes = 16;
/** Milliseconds: until the year 10889. */
const timeBytes = 6;
const tagBytes = 16;
const tokenBytes = nonceBytes + idBytes + timeBytes + tagBytes;
/** A multiple of three bytes fills its letters to the last bit, so that one token is spelt in one way only. */
const shape = new RegExp(`^[A-Za-z0-9_-]{${(tokenBytes / 3) * 4}}$`);

export function sealLinkToken({ bytes }: MasterKey, profileId: string, content: LinkTokenContent): string {
  const nonce = randomBytes(nonceBytes);
  const plain = Buffer.alloc(idBytes + timeBytes);
  plain.write(content.customerId.replaceAll('-', ''), 'hex');
  plain.writeUIntBE(content.expiresAt.getTime(), idBytes, timeBytes);
  const { key, start } = keyOf(bytes, nonce);
  const cipher = createCipheriv('aes-256-gcm', key, start, { authTagLength: tagBytes }).setAAD(Buffer.from(profileId));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

/** Undefined for whatever was not made by one of these keys for this profile, was changed on its way, or is over. */
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
    return at <= expiresAt ? { customerId: uuidOf(plain.subarray(0, idBytes)), expiresAt } : undefined;
  }
  return undefined;
}

/** What the pipeline of visits asks of a token: whom it names. The keys are asked for each time, because they rotate. */
export const linkTokenReader =
  (keys: () => readonly MasterKey[]) =>
  (profileId: string, token: string, at: Date): string | undefined =>
    openLinkToken(keys(), profileId, token, at)?.customerId;

function decrypt(secret: Buffer, profileId: string, sealed: Buffer): Buffer | undefined {
  const { key, start } = keyOf(secret, sealed.subarray(0, nonceBytes));
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, start, { authTagLength: tagBytes })
      .setAAD(Buffer.from(profileId))
      .setAuthTag(sealed.subarray(tokenBytes - tagBytes));
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, tokenBytes - tagBytes)), decipher.final()]);
  } catch {
    return undefined;
  }
}

/** A key and a starting value of the token's own, so that no two tokens are ever encrypted alike. */
function keyOf(secret: Buffer, nonce: Buffer): { key: Buffer; start: Buffer } {
  const made = Buffer.from(hkdfSync('sha256', secret, nonce, 'tributary link token', 32 + 12));
  return { key: made.subarray(0, 32), start: made.subarray(32) };
}

function uuidOf(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
