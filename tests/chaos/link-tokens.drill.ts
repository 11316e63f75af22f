import { randomBytes, randomInt } from 'node:crypto';
import { openLinkToken, sealLinkToken } from '@tributary/domain/commerce/link-tokens/module.ts';
import type { Drill } from '@tributary/testkit';
import { dayMs } from '@tributary/vocabulary';
import { v4 as uuid } from 'uuid';

const sizes = {
  small: { forged: 20_000, minted: 2_000 },
  full: { forged: 1_000_000, minted: 100_000 },
};
/** Length of a substring that no two tokens may share. */
const partLetters = 12;
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Tries tokens that were forged in various ways, and searches tokens of one customer for common substrings. */
export const drill: Drill = {
  name: 'link-tokens',
  promise:
    'Only genuine tokens open, for their profile and before they expire, and no two tokens reveal that they belong to the same customer.',
  async run({ size, progress }) {
    const { forged, minted } = sizes[size];
    const keys = [secret(), secret()];
    const [newest] = keys as [ReturnType<typeof secret>];
    const [profileId, customerId] = [uuid(), uuid()];
    const now = new Date('2026-06-15T12:00:00.000Z');
    const content = { customerId, expiresAt: new Date(now.getTime() + 90 * dayMs) };
    const mint = () => sealLinkToken(newest, profileId, content);
    const opens = (token: string) => openLinkToken(keys, profileId, token, now) !== undefined;

    const ways: Readonly<Record<string, () => string>> = {
      one_letter: () => replaceLetters(mint(), 1),
      some_letters: () => replaceLetters(mint(), randomInt(2, 12)),
      cut: () => mint().slice(randomInt(1, 6)),
      longer: () => mint() + letters[randomInt(64)],
      halves_of_two: () => {
        const [one, other] = [mint(), mint()];
        // Not near an end, where the remaining part could be identical in both tokens.
        const position = randomInt(8, 64);
        return one.slice(0, position) + other.slice(position);
      },
      turned_round: () => [...mint()].reverse().join(''),
      other_profile: () => sealLinkToken(newest, uuid(), content),
      other_secret: () => sealLinkToken(secret(), profileId, content),
      expired: () =>
        sealLinkToken(newest, profileId, { customerId, expiresAt: new Date(now.getTime() - randomInt(1, 1e9)) }),
      made_up: () => randomBytes(54).toString('base64url'),
    };
    const names = Object.keys(ways);
    const accepted: Record<string, number> = Object.fromEntries(names.map((name) => [name, 0]));
    for (let tried = 0; tried < forged; tried += 1) {
      const name = names[tried % names.length] as string;
      if (opens((ways[name] as () => string)())) accepted[name] = (accepted[name] ?? 0) + 1;
      if (tried % 10_000 === 0) progress(tried, forged, 'forged');
    }

    const tokens = Array.from({ length: minted }, mint);
    const unopened = tokens.filter((token) => !opens(token)).length;
    const shared = countShared(tokens, (done) => progress(done, minted, 'compared'));
    // Proves that the search works, with a token that contains twelve letters of another one.
    const [sample = ''] = tokens;
    const planted = countShared([sample, `${mint().slice(0, 30)}${sample.slice(7, 19)}${mint().slice(42)}`]);

    const wrong = Object.values(accepted).reduce((sum, count) => sum + count, 0);
    return {
      passed: wrong === 0 && unopened === 0 && shared === 0 && planted > 0,
      forged,
      accepted: wrong,
      accepted_by_way: accepted,
      minted,
      unopened,
      parts_of_12_letters: minted * (sample.length - partLetters + 1),
      shared_parts: shared,
      planted_found: planted,
    };
  },
};

const secret = () => ({ id: randomBytes(4).toString('hex'), bytes: randomBytes(32) });

/** Replaces letters at random positions by different ones. */
function replaceLetters(token: string, count: number): string {
  const changed = [...token];
  for (let nth = 0; nth < count; nth += 1) {
    const position = randomInt(token.length);
    changed[position] = letters[(letters.indexOf(token[position] as string) + randomInt(1, 64)) % 64] as string;
  }
  return changed.join('');
}

/**
 * Counts substrings of twelve letters that occur more than once. Twelve letters have 72 bits, so it first sorts the low 64 bits of each. It compares
 * the full substrings only if these contain duplicates.
 */
function countShared(tokens: readonly string[], progress: (done: number) => void = () => {}): number {
  const perToken = (tokens[0]?.length ?? 0) - partLetters + 1;
  const hashes = new BigUint64Array(tokens.length * perToken);
  let filled = 0;
  for (const [index, token] of tokens.entries()) {
    let value = 0n;
    for (let position = 0; position < token.length; position += 1) {
      value = BigInt.asUintN(64, (value << 6n) | BigInt(letters.indexOf(token[position] as string)));
      if (position >= partLetters - 1) hashes[filled++] = value;
    }
    if (index % 1_000 === 0) progress(index);
  }
  hashes.sort();
  if (!hashes.some((hash, index) => index > 0 && hash === hashes[index - 1])) return 0;
  const seen = new Map<string, number>();
  for (const token of tokens)
    for (let position = 0; position < perToken; position += 1) {
      const part = token.slice(position, position + partLetters);
      seen.set(part, (seen.get(part) ?? 0) + 1);
    }
  return [...seen.values()].filter((count) => count > 1).length;
}
