import { randomBytes, randomInt } from 'node:crypto';
import { openLinkToken, sealLinkToken } from '@tributary/domain/commerce/link-tokens/module.ts';
import type { Drill } from '@tributary/testkit';
import { dayMs } from '@tributary/vocabulary';
import { v4 as uuid } from 'uuid';

const sizes = {
  small: { forged: 20_000, minted: 2_000 },
  full: { forged: 1_000_000, minted: 100_000 },
};
/** What two tokens may not share, wherever it stands in them. */
const partLetters = 12;
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Forges tokens in every way that comes to mind, and looks for what tokens of one person have in common. */
export const drill: Drill = {
  name: 'link-tokens',
  promise:
    'No token opens but those we made, for their profile and in their time; and no two show that they are of one person.',
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
      one_letter: () => withLetter(mint(), 1),
      some_letters: () => withLetter(mint(), randomInt(2, 12)),
      cut: () => mint().slice(randomInt(1, 6)),
      longer: () => mint() + letters[randomInt(64)],
      halves_of_two: () => {
        const [one, other] = [mint(), mint()];
        // Not so near an end that what is left of one may be the same in the other.
        const place = randomInt(8, 64);
        return one.slice(0, place) + other.slice(place);
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
    // The search must find what is there: a token beside one that has twelve of its letters.
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

/** With so many letters changed, each for another one. */
function withLetter(token: string, count: number): string {
  const changed = [...token];
  for (let nth = 0; nth < count; nth += 1) {
    const place = randomInt(token.length);
    changed[place] = letters[(letters.indexOf(token[place] as string) + randomInt(1, 64)) % 64] as string;
  }
  return changed.join('');
}

/**
 * How many parts of twelve letters stand in more than one place. Twelve letters are 72 bits; the low 64 of them are sorted, and
 * whatever falls together there is looked at in full.
 */
function countShared(tokens: readonly string[], progress: (done: number) => void = () => {}): number {
  const perToken = (tokens[0]?.length ?? 0) - partLetters + 1;
  const hashes = new BigUint64Array(tokens.length * perToken);
  let filled = 0;
  for (const [index, token] of tokens.entries()) {
    let value = 0n;
    for (let place = 0; place < token.length; place += 1) {
      value = BigInt.asUintN(64, (value << 6n) | BigInt(letters.indexOf(token[place] as string)));
      if (place >= partLetters - 1) hashes[filled++] = value;
    }
    if (index % 1_000 === 0) progress(index);
  }
  hashes.sort();
  const suspects = new Set<bigint>();
  for (let place = 1; place < hashes.length; place += 1)
    if (hashes[place] === hashes[place - 1]) suspects.add(hashes[place] as bigint);
  if (suspects.size === 0) return 0;
  const seen = new Map<string, number>();
  for (const token of tokens)
    for (let place = 0; place < perToken; place += 1) {
      const part = token.slice(place, place + partLetters);
      seen.set(part, (seen.get(part) ?? 0) + 1);
    }
  return [...seen.values()].filter((count) => count > 1).length;
}
