import { IdentifierType, type Input, type Routes, Uuid } from '@tributary/contract';
import { type NamedKind, readIdentifier } from '@tributary/domain/customers';
import { type CountryCode, type Identifier, normaliseKey } from '@tributary/rules';
import type { InvalidSelector } from '@tributary/vocabulary';

export type LinkTokenRow = Input<Routes['createLinkTokens']>['body']['customers'][number];

/** Whom a row names, or why it names nobody. */
export type ReadRow =
  | { readonly customerId: string }
  | { readonly identifier: Identifier }
  | { readonly invalid: InvalidSelector };

const malformed: ReadRow = { invalid: 'malformed_selector' };

/** The first selector that is there counts. One that cannot be read is not made up for by another, whatever the others say. */
export function readRow(row: LinkTokenRow, country: CountryCode): ReadRow {
  if (row.fault) return { invalid: row.fault.reason };
  const { customer_profile_id, customer_key, email, phone, identifier_type, identifier_value } = row;
  const named = (kind: NamedKind, text: string): ReadRow => {
    const identifier = readIdentifier(kind, text, country);
    return identifier ? { identifier } : malformed;
  };
  const read: ReadRow[] = [];
  if (isThere(customer_profile_id)) {
    const { data: customerId } = Uuid.safeParse(customer_profile_id);
    read.push(customerId ? { customerId: customerId.toLowerCase() } : malformed);
  }
  if (isThere(customer_key)) read.push(named('external_customer_id', customer_key));
  if (isThere(email)) read.push(named('email', email));
  if (isThere(phone)) read.push(named('phone', phone));
  if (isThere(identifier_type) || isThere(identifier_value)) {
    const { data: kind } = IdentifierType.safeParse(identifier_type);
    if (!kind) read.push({ invalid: 'unknown_identifier_type' });
    else read.push(isThere(identifier_value) ? named(kind, identifier_value) : malformed);
  }
  return read.find((one) => 'invalid' in one) ?? read[0] ?? { invalid: 'no_selector' };
}

/** The caller's own key, as far as the row says one; what could be none is not sent back. */
export function keySaid({ customer_key, identifier_type, identifier_value }: LinkTokenRow): string | null {
  const said = customer_key ?? (identifier_type === 'external_customer_id' ? identifier_value : undefined);
  return normaliseKey(said ?? '') ?? null;
}

const isThere = (text: string | null | undefined): text is string => text !== undefined && text !== null;
