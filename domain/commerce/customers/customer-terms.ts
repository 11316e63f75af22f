import { type Identifier, maxTermsOfCustomer, searchTerms } from '@tributary/rules';
import type { IdentifierKind } from '@tributary/vocabulary';

interface Searchable {
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly terms: readonly string[];
}

/** The search terms of a customer after linking these identifiers. */
export function termsOf(customer: Searchable, linked: readonly Identifier[]): string[] {
  const added = searchTerms({
    firstName: customer.firstName ?? undefined,
    lastName: customer.lastName ?? undefined,
    emails: linked.filter(({ kind }) => kind === 'email').map(({ value }) => value),
    phones: linked.filter(({ kind }) => kind === 'phone').map(({ value }) => value),
  });
  return [...new Set([...customer.terms, ...added])].slice(0, maxTermsOfCustomer);
}

export const firstOf = (identifiers: readonly Identifier[], wantedKind: IdentifierKind): string | undefined =>
  identifiers.find(({ kind }) => kind === wantedKind)?.value;
