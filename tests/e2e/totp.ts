import { createHmac } from 'node:crypto';

/** The code that an authenticator app shows for a secret. A later step gives the next code, because each works once. */
export function totpCode(secret: string, step = 0): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + step));
  const hash = createHmac('sha1', key).update(counter).digest();
  return String((hash.readUInt32BE((hash.at(-1) as number) & 15) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}
