import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/** Caches key objects: hashes and ciphers take them in a fifth of the time that raw bytes take. */
const keyObjects = new WeakMap<Buffer, KeyObject>();

export function keyObjectOf(bytes: Buffer): KeyObject {
  let key = keyObjects.get(bytes);
  if (!key) {
    key = createSecretKey(bytes);
    keyObjects.set(bytes, key);
  }
  return key;
}

/** The HMAC-SHA-256 of a text: without the key it can neither be computed nor used to guess the text. */
export const keyedHash = (key: Buffer, text: string): Buffer =>
  createHmac('sha256', keyObjectOf(key)).update(text).digest();
