import {
  CustomerBook,
  type Evidence,
  type OpenedCustomers,
  openCustomers,
  readPhone,
  readWhatsAppId,
  type Tombstones,
} from '@tributary/domain/commerce/customers';
import { refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { type Identifier, normaliseEmail, normaliseKey, normaliseRut } from '@tributary/rules';
import { v7 as uuid } from 'uuid';

/** How a request names its customer, in both routes. */
export interface CustomerReference {
  readonly customer?:
    | {
        readonly external_ref: string;
        readonly email?: string | null | undefined;
        readonly phone?: string | null | undefined;
      }
    | null
    | undefined;
  readonly wa_id?: string | null | undefined;
}

/**
 * The identifiers that a request names, strongest first. Refuses an invalid one: ignoring it could select another
 * customer.
 */
export function readIdentifiers(
  profileId: string,
  { customer, wa_id }: CustomerReference,
  isHealthcare: boolean,
): Identifier[] {
  if (!customer) {
    if (isHealthcare)
      refuseField('wa_id', 'names nobody on a healthcare-family profile; send customer.external_ref in its place');
    const value = readWhatsAppId(profileId, wa_id ?? '') ?? refuseField('wa_id', 'is not a WhatsApp id');
    // A WhatsApp id is the customer's phone number.
    return [
      { kind: 'phone', value },
      { kind: 'wa_id', value },
    ];
  }
  refuseNationalId('customer.external_ref', customer.external_ref);
  const read = (
    kind: Identifier['kind'],
    field: string,
    text: string | null | undefined,
    value: string | undefined,
  ) => {
    if (!text || text.trim() === '') return [];
    return [{ kind, value: value ?? refuseField(field, 'cannot be read') }];
  };
  const { external_ref, email, phone } = customer;
  return [
    ...read('external_customer_id', 'customer.external_ref', external_ref, normaliseKey(external_ref)),
    ...read('email', 'customer.email', email, normaliseEmail(email ?? '')),
    ...read('phone', 'customer.phone', phone, readPhone(profileId, phone ?? '')),
  ];
}

/** Matches national ids with separators only: plain digits could be a customer number. */
const rutPattern = /(?<!\d)\d{1,2}(?:[.\s]?\d{3}){2}(?:[-‐-―.\s][\dkK]|[kK])(?![a-zA-Z\d])/g;

export function refuseNationalId(field: string, text: string | null | undefined): void {
  for (const [found] of (text ?? '').matchAll(rutPattern))
    if (normaliseRut(found))
      refuse('invalid_parameter', `The field "${field}" holds a national id, which is not taken here.`, {
        fields: { field },
      });
}

export function refuseField(field: string, message: string): never {
  refuse('validation_error', `The field "${field}" ${message}.`, { fields: { field } });
}

export interface CustomerMention {
  readonly identifiers: readonly Identifier[];
  readonly at: Date;
}

export interface ResolvedCustomers {
  readonly book: CustomerBook;
  readonly known: OpenedCustomers;
  /** The customer of each entry. */
  readonly customerIds: readonly string[];
  /** The customer that each entry named, before merges. */
  readonly saidOf: readonly string[];
}

/**
 * Resolves customers under the locks of identity writers. Changes are collected in the book, which the caller saves or
 * discards.
 */
export async function resolveCustomers(
  tx: Tx,
  profileId: string,
  mentions: readonly CustomerMention[],
  evidence: Evidence,
  tombstones: Tombstones,
): Promise<ResolvedCustomers> {
  const known = await openCustomers(
    tx,
    profileId,
    mentions.flatMap(({ identifiers }) => identifiers),
    tombstones,
  );
  const book = new CustomerBook(known, uuid);
  const resolved = mentions.map(({ identifiers, at }) => {
    // Undefined: the named customer was erased.
    const found = book.take({ identifiers, at }, evidence) ?? refuseUnknown();
    const isReferenceAlone = identifiers.every(({ kind }) => kind === 'external_customer_id');
    return found.isNew && isReferenceAlone ? refuseUnknown() : found;
  });
  return {
    book,
    known,
    customerIds: resolved.map(({ customerId }) => book.survivorOf(customerId)),
    saidOf: resolved.map(({ saidOf }) => saidOf),
  };
}

const refuseUnknown = (): never =>
  refuse(
    'unknown_customer_ref',
    'Nobody is known by that name, and nothing was stored. Send email or phone beside it.',
  );
