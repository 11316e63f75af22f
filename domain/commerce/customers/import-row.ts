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
import type { CustomerMessage } from './customer-book.ts';

type Body = Input<Routes['importCustomers']>['body'];

/** Why a row is rejected, and which field caused it. */
export interface Rejected extends ImportFault {
  readonly reason: ImportRejection;
}

export type ReadRow =
  | { readonly rejected: Rejected }
  | {
      readonly rejected?: undefined;
      readonly message: CustomerMessage;
      readonly warnings: readonly UnparseableIdentifier[];
    };

/** Parses a row into a message, or returns why it is rejected. */
export function readRow(checkedRow: JudgedImportRow, country: Body['country']): ReadRow {
  if ('fault' in checkedRow) return { rejected: { reason: 'malformed_row', ...checkedRow.fault } };
  const { row } = checkedRow;
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
    // Rejected instead of dropped with a warning: without its key the customer would silently lose the link to the caller's records.
    if (value === undefined) return { rejected: malformedKey };
    identifiers.push({ kind: 'external_customer_id', value });
  }
  const message = {
    identifiers,
    firstName: normaliseName(row.first_name ?? ''),
    lastName: normaliseName(row.last_name ?? ''),
    seenAt: null,
  };
  return { message, warnings };
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
