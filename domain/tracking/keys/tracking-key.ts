import { randomInt } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** 131 bits of chance: nobody guesses another profile's key, though each is public on its own pages. */
export function mintTrackingKey(): string {
  return `trk_${Array.from({ length: 22 }, () => alphabet[randomInt(alphabet.length)]).join('')}`;
}
