import type { Input, Routes } from '@tributary/contract';
import {
  type Identifier,
  normaliseEmail,
  normaliseKey,
  normaliseName,
  normalisePhone,
  normaliseRut,
} from '@tributary/rules';
import type { ImportRejection, UnparseableIdentifier } from '@tributary/vocabulary';
import type { Said } from './customer-book.ts';

type Body = Input<Routes['importCustomers']>['body'];
/** Undefined is what was no row at all. */
type ImportRow = Body['rows'][number];

export type ReadRow =
  | { readonly rejected: ImportRejection }
  | { readonly rejected?: undefined; readonly said: Said; readonly warnings: readonly UnparseableIdentifier[] };

/** What a row says, or why it says nothing. */
export function readRow(row: ImportRow, country: Body['country']): ReadRow {
  if (!row) return { rejected: 'malformed_row' };
  const identifiers: Identifier[] = [];
  const warnings: UnparseableIdentifier[] = [];
  const read = (
    text: string | undefined,
    kind: Identifier['kind'],
    value: string | undefined,
    flaw: UnparseableIdentifier,
  ) => {
    if (isBlank(text)) return;
    if (value === undefined) warnings.push(flaw);
    else identifiers.push({ kind, value });
  };
  const phone = row.phone ?? '';
  const email = row.email ?? '';
  const national_id = row.national_id ?? '';
  const external_id = row.external_id ?? '';
  read(phone, 'phone', normalisePhone(phone, country), 'unparseable_phone');
  read(email, 'email', normaliseEmail(email), 'unparseable_email');
  read(national_id, 'national_id', normaliseRut(national_id), 'unparseable_national_id');
  if (identifiers.length === 0) return { rejected: warnings[0] ?? 'no_identifier' };

  if (!isBlank(external_id)) {
    const value = normaliseKey(external_id);
    // Dropped with a warning, it would part the customer from the caller's own records without the caller noticing.
    if (value === undefined) return { rejected: 'malformed_row' };
    identifiers.push({ kind: 'external_customer_id', value });
  }
  const said = {
    identifiers,
    firstName: normaliseName(row.first_name ?? ''),
    lastName: normaliseName(row.last_name ?? ''),
  };
  return { said, warnings };
}

const isBlank = (text: string | undefined): boolean => text === undefined || text.trim() === '';
