import { listIdentifiers, listSamePerson } from '@tributary/domain/commerce/customers';
import type { Tx } from '@tributary/postgres';
import { decodeAll, Effort, maskName, maskUrl, maskWords } from '@tributary/rules/visits';
import { limits } from '@tributary/vocabulary';
import type { Person } from './person.ts';

/** Masks personal data in what leaves the service for an outside reader. */
export interface Masks {
  readonly text: (text: string | null) => string | undefined;
  /** Masks a page path, like the collector masks visit URLs. */
  readonly path: (text: string | null) => string | undefined;
}

/** Loads the customer's names and identifiers, so that free text can be searched for them. */
export async function readMasks(tx: Tx, profileId: string, { customerId }: Person): Promise<Masks> {
  if (customerId === null) return masksFor([], []);
  const all = { offset: 0, limit: limits.personIdentifiers.most };
  const customers = await listSamePerson(tx, profileId, customerId, all);
  const identifiers = await listIdentifiers(tx, profileId, customerId, all);
  const names = customers.flatMap(({ first_name, last_name }) => [first_name ?? '', last_name ?? '']);
  return masksFor(
    names,
    identifiers.map(({ value }) => value),
  );
}

/** Searches for every single word of a name, and for whole identifiers. */
export function masksFor(names: readonly string[], identifiers: readonly string[]): Masks {
  const effort = new Effort();
  const words = names.flatMap((name) => wordsOf(name).split(' ')).filter((word) => word.length > 1);
  const terms = [...new Set([...words, ...identifiers.map(wordsOf)])].filter((text) => text !== '');
  const isNamed = (text: string): boolean => {
    const words = ` ${wordsOf(decodeAll(text))} `;
    return terms.some((one) => words.includes(` ${one} `));
  };
  const mask = (text: string): string => (isNamed(text) ? maskWords.name : maskName(text, effort));
  return {
    text: (text) => (text === null ? undefined : mask(text)),
    path: (text) => {
      if (text === null) return undefined;
      const masked = URL.parse(maskUrl(`https://site.invalid/${text.replace(/^\/+/, '')}`, effort).url);
      return masked?.pathname.split('/').map(maskPiece).join('/');
    },
  };

  function maskPiece(piece: string): string {
    return isNamed(piece) ? maskWords.name : piece;
  }
}

/** Strips accents, case and punctuation, so that `María-José` matches `maria jose`. */
const wordsOf = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
