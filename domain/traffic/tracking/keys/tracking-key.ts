import { randomInt } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * Creates a key with 131 random bits, so that the keys of other profiles cannot be guessed. Each key is public on its
 * profile's pages.
 */
export function mintTrackingKey(): string {
  return `trk_${Array.from({ length: 22 }, () => alphabet[randomInt(alphabet.length)]).join('')}`;
}
