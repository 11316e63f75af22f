import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * Secrets look like `trib_live_` + 32 random characters + a checksum of 6. Secret scanners recognise the prefix, and the checksum rejects a
 * mistyped secret without a query. Only the hash is stored.
 */
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 32;
const checksumLength = 6;

export const secretKinds = {
  apiKey: 'trib_live_',
  appToken: 'trib_app_',
  clientSecret: 'trib_cs_',
  firstAccount: 'trib_first_',
  invitation: 'trib_inv_',
  mcpToken: 'trib_mcp_',
  passwordReset: 'trib_reset_',
  testKey: 'trib_test_',
  sharedView: 'trib_view_',
} as const;
export type SecretKind = keyof typeof secretKinds;

export function mintSecret(kind: SecretKind): string {
  const random = Array.from({ length: randomLength }, () => alphabet[randomInt(alphabet.length)]).join('');
  const body = `${secretKinds[kind]}${random}`;
  return `${body}${checksum(body)}`;
}

/** Checks prefix, length and checksum only. The secret may still be unknown, expired or revoked. */
export function isWellFormedSecret(text: string, ...kinds: readonly SecretKind[]): boolean {
  const kind = kinds.find((candidate) => text.startsWith(secretKinds[candidate]));
  if (!kind || text.length !== secretKinds[kind].length + randomLength + checksumLength) return false;
  const body = text.slice(0, -checksumLength);
  return /^[0-9A-Za-z_]+$/.test(text) && checksum(body) === text.slice(-checksumLength);
}

export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let index = 0; index < checksumLength; index += 1) {
    text = `${alphabet[rest % alphabet.length]}${text}`;
    rest = Math.floor(rest / alphabet.length);
  }
  return text;
}
