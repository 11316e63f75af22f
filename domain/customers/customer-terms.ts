import { type Identifier, maxTermsOfCustomer, searchTerms } from '@tributary/rules';
import type { IdentifierKind } from '@tributary/vocabulary';

interface Searchable {
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly terms: readonly string[];
}

/** The search terms of a customer after these identifiers were linked. */
export function termsOf(customer: Searchable, linked: readonly Identifier[]): string[] {
  const fresh = searchTerms({
    firstName: customer.firstName ?? undefined,
    lastName: customer.lastName ?? undefined,
    emails: linked.filter(({ kind }) => kind === 'email').map(({ value }) => value),
    phones: linked.filter(({ kind }) => kind === 'phone').map(({ value }) => value),
  });
  return [...new Set([...customer.terms, ...fresh])].slice(0, maxTermsOfCustomer);
}

export const firstOf = (identifiers: readonly Identifier[], wanted: IdentifierKind): string | undefined =>
  identifiers.find(({ kind }) => kind === wanted)?.value;
