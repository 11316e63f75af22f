import { listIdentifiers, listSamePerson } from '@tributary/domain/customers';
import type { Tx } from '@tributary/postgres';
import { decodeAll, Effort, maskName, maskUrl, maskWords } from '@tributary/rules/visits';
import { limits } from '@tributary/vocabulary';
import type { Person } from './person.ts';

/** Takes out of what an outside reader gets all that says who somebody is. */
export interface Masks {
  readonly text: (written: string | null) => string | undefined;
  /** Of a page, as the collector masks the addresses of visits. */
  readonly path: (written: string | null) => string | undefined;
}

/** Looks up what the person is called, so that free texts can be searched for it. */
export async function readMasks(tx: Tx, profileId: string, { customerId }: Person): Promise<Masks> {
  if (customerId === null) return masksFor([], []);
  const all = { offset: 0, limit: limits.personIdentifiers.most };
  const same = await listSamePerson(tx, profileId, customerId, all);
  const identifiers = await listIdentifiers(tx, profileId, customerId, all);
  const names = same.flatMap(({ first_name, last_name }) => [first_name ?? '', last_name ?? '']);
  return masksFor(
    names,
    identifiers.map(({ value }) => value),
  );
}

/** Every word of a name is looked for, and an identifier as a whole. */
export function masksFor(names: readonly string[], identifiers: readonly string[]): Masks {
  const effort = new Effort();
  const words = names.flatMap((name) => wordsOf(name).split(' ')).filter((word) => word.length > 1);
  const wanted = [...new Set([...words, ...identifiers.map(wordsOf)])].filter((text) => text !== '');
  const isNamed = (written: string): boolean => {
    const text = ` ${wordsOf(decodeAll(written))} `;
    return wanted.some((one) => text.includes(` ${one} `));
  };
  const mask = (written: string): string => (isNamed(written) ? maskWords.name : maskName(written, effort));
  return {
    text: (written) => (written === null ? undefined : mask(written)),
    path: (written) => {
      if (written === null) return undefined;
      const masked = URL.parse(maskUrl(`https://site.invalid/${written.replace(/^\/+/, '')}`, effort).url);
      return masked?.pathname.split('/').map(maskPiece).join('/');
    },
  };

  function maskPiece(piece: string): string {
    return isNamed(piece) ? maskWords.name : piece;
  }
}

/** Letters and digits without accents and capitals, so that `María-José` is found in `maria jose`. */
const wordsOf = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
