import { IdentifierType, type Input, type Routes, Uuid } from '@tributary/contract';
import { type NamedKind, readIdentifier } from '@tributary/domain/commerce/customers';
import { type CountryCode, type Identifier, normaliseKey } from '@tributary/rules';
import type { InvalidSelector } from '@tributary/vocabulary';

export type LinkTokenRow = Input<Routes['createLinkTokens']>['body']['customers'][number];

/** The customer id or identifier in a row, or why the row is invalid. */
export type ReadRow =
  | { readonly customerId: string }
  | { readonly identifier: Identifier }
  | { readonly invalid: InvalidSelector };

const malformed: ReadRow = { invalid: 'malformed_selector' };

/** Reads the first selector of a row. One unparseable selector makes the row invalid, even if another one is valid. */
export function readRow(row: LinkTokenRow, country: CountryCode): ReadRow {
  if (row.fault) return { invalid: row.fault.reason };
  const { customer_profile_id, customer_key, email, phone, identifier_type, identifier_value } = row;
  const parse = (kind: NamedKind, text: string): ReadRow => {
    const identifier = readIdentifier(kind, text, country);
    return identifier ? { identifier } : malformed;
  };
  const selectors: ReadRow[] = [];
  if (isPresent(customer_profile_id)) {
    const { data: customerId } = Uuid.safeParse(customer_profile_id);
    selectors.push(customerId ? { customerId: customerId.toLowerCase() } : malformed);
  }
  if (isPresent(customer_key)) selectors.push(parse('external_customer_id', customer_key));
  if (isPresent(email)) selectors.push(parse('email', email));
  if (isPresent(phone)) selectors.push(parse('phone', phone));
  if (isPresent(identifier_type) || isPresent(identifier_value)) {
    const { data: kind } = IdentifierType.safeParse(identifier_type);
    if (!kind) selectors.push({ invalid: 'unknown_identifier_type' });
    else selectors.push(isPresent(identifier_value) ? parse(kind, identifier_value) : malformed);
  }
  return selectors.find((one) => 'invalid' in one) ?? selectors[0] ?? { invalid: 'no_selector' };
}

/** The caller's key in the row, normalised; null if it contains no valid key. */
export function getSentKey({ customer_key, identifier_type, identifier_value }: LinkTokenRow): string | null {
  const key = customer_key ?? (identifier_type === 'external_customer_id' ? identifier_value : undefined);
  return normaliseKey(key ?? '') ?? null;
}

const isPresent = (text: string | null | undefined): text is string => text !== undefined && text !== null;
