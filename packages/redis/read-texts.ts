import type { RedisClient } from './client.ts';

/** Every key under the client's prefix and every string value, for a search for personal data that must not be there. */
export async function* scanTexts(client: RedisClient): AsyncIterable<string> {
  const prefix = client.options.keyPrefix ?? '';
  for (let cursor = '0'; ; ) {
    const [next, keys] = await client.scan(cursor, 'MATCH', `${prefix}*`, 'COUNT', 1_000);
    for (const whole of keys) {
      const key = whole.slice(prefix.length);
      yield key;
      const kind = await client.type(key);
      if (kind === 'string') yield (await client.get(key)) ?? '';
    }
    if (next === '0') return;
    cursor = next;
  }
}
