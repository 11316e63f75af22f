import type { Input, Routes } from '@tributary/contract';
import { type NamedKind, readIdentifier } from '@tributary/domain/commerce/customers';
import { refuse } from '@tributary/operations';
import { type Identifier, isCountry } from '@tributary/rules';

export type ErasureBody = Input<Routes['createErasure']>['body'];

/** Reads the single selector of a request. */
export function readSelector(body: ErasureBody): Identifier {
  const { customer_key, email, phone, identifier_type, identifier_value, country } = body;
  if (!isCountry(country)) return wrong('country', 'is not a country whose phone numbers are known');
  if (identifier_type !== undefined && identifier_value === undefined)
    return wrong('identifier_value', 'is required with "identifier_type"');
  if (identifier_value !== undefined && identifier_type === undefined)
    return wrong('identifier_type', 'is required with "identifier_value"');
  const selectors: { field: string; kind: NamedKind | undefined; text: string | undefined }[] = [
    { field: 'customer_key', kind: 'external_customer_id', text: customer_key },
    { field: 'email', kind: 'email', text: email },
    { field: 'phone', kind: 'phone', text: phone },
    { field: 'identifier_value', kind: identifier_type, text: identifier_value },
  ];
  const given = selectors.filter(({ text }) => text !== undefined);
  const [one, second] = given;
  if (!one?.kind || one.text === undefined)
    return wrong('customer_key', 'or one of email, phone and identifier_type is required');
  if (second) return wrong(second.field, `names a second customer beside "${one.field}"; exactly one may be named`);
  return readIdentifier(one.kind, one.text, country) ?? wrong(one.field, 'cannot be read as what it should be');
}

export const wrong = (field: string, what: string): never =>
  refuse('invalid_parameter', `The field "${field}" ${what}.`, { fields: { field } });
