import type { ImportFault, Input, JudgedImportRow, Routes } from '@tributary/contract';
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

/** Why a row is not taken, and which field is to blame. */
export interface Rejected extends ImportFault {
  readonly reason: ImportRejection;
}

export type ReadRow =
  | { readonly rejected: Rejected }
  | { readonly rejected?: undefined; readonly said: Said; readonly warnings: readonly UnparseableIdentifier[] };

/** What a row says, or why it says nothing. */
export function readRow(judged: JudgedImportRow, country: Body['country']): ReadRow {
  if ('fault' in judged) return { rejected: { reason: 'malformed_row', ...judged.fault } };
  const { row } = judged;
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
  if (identifiers.length === 0) return { rejected: unidentified(warnings[0]) };

  if (!isBlank(external_id)) {
    const value = normaliseKey(external_id);
    // Dropped with a warning, it would part the customer from the caller's own records without the caller noticing.
    if (value === undefined) return { rejected: malformedKey };
    identifiers.push({ kind: 'external_customer_id', value });
  }
  const said = {
    identifiers,
    firstName: normaliseName(row.first_name ?? ''),
    lastName: normaliseName(row.last_name ?? ''),
    seenAt: null,
  };
  return { said, warnings };
}

const malformedKey = {
  reason: 'malformed_row',
  field: 'external_id',
  message: 'has characters that nobody can see, or too many',
} as const;

const unidentified = (flaw: UnparseableIdentifier | undefined): Rejected =>
  flaw
    ? { reason: flaw, ...unparseable[flaw] }
    : { reason: 'no_identifier', field: '', message: 'must hold a phone, an email or a national_id' };

const unparseable: Record<UnparseableIdentifier, ImportFault> = {
  unparseable_phone: { field: 'phone', message: 'is no phone number' },
  unparseable_email: { field: 'email', message: 'is no e-mail address' },
  unparseable_national_id: { field: 'national_id', message: 'is no RUT, or its check digit is wrong' },
};

const isBlank = (text: string | undefined): boolean => text === undefined || text.trim() === '';
