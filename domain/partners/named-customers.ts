import {
  CustomerBook,
  type Evidence,
  type KnownCustomers,
  openCustomers,
  readPhone,
  readWhatsAppId,
  type Tombstones,
} from '@tributary/domain/customers';
import { refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { type Identifier, normaliseEmail, normaliseKey, normaliseRut } from '@tributary/rules';
import { v7 as uuid } from 'uuid';

/** Whom a request names, as both routes take it. */
export interface Named {
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

/** What a request names somebody by, in the order of its strength. What cannot be read is refused: dropped, it would name somebody else. */
export function readNamed(profileId: string, { customer, wa_id }: Named, isHealthcare: boolean): Identifier[] {
  if (!customer) {
    if (isHealthcare)
      refuseField('wa_id', 'names nobody on a healthcare-family profile; send customer.external_ref in its place');
    const value = readWhatsAppId(profileId, wa_id ?? '') ?? refuseField('wa_id', 'is not a WhatsApp id');
    // WhatsApp's id of somebody is their number.
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

/** As people write it. Digits alone may be anybody's customer number. */
const writtenAsRut = /(?<!\d)\d{1,2}(?:[.\s]?\d{3}){2}(?:[-‐-―.\s][\dkK]|[kK])(?![a-zA-Z\d])/g;

export function refuseNationalId(field: string, text: string | null | undefined): void {
  for (const [found] of (text ?? '').matchAll(writtenAsRut))
    if (normaliseRut(found))
      refuse('invalid_parameter', `The field "${field}" holds a national id, which is not taken here.`, {
        fields: { field },
      });
}

export function refuseField(field: string, message: string): never {
  refuse('validation_error', `The field "${field}" ${message}.`, { fields: { field } });
}

export interface SaidOf {
  readonly identifiers: readonly Identifier[];
  readonly at: Date;
}

export interface Resolved {
  readonly book: CustomerBook;
  readonly known: KnownCustomers;
  /** Of each that was said, the customer. */
  readonly customerIds: readonly string[];
  /** And whom it names, who may have been merged into that one. */
  readonly saidOf: readonly string[];
}

/** Who is meant, under the locks of whoever writes identities; what follows from it is in the book, to be saved or not. */
export async function resolveNamed(
  tx: Tx,
  profileId: string,
  said: readonly SaidOf[],
  evidence: Evidence,
  tombstones: Tombstones,
): Promise<Resolved> {
  const known = await openCustomers(
    tx,
    profileId,
    said.flatMap(({ identifiers }) => identifiers),
    tombstones,
  );
  const book = new CustomerBook(known, uuid);
  const taken = said.map(({ identifiers, at }) => {
    // Undefined: whom it names was erased since.
    const found = book.take({ identifiers, at }, evidence) ?? refuseStranger();
    const isReferenceAlone = identifiers.every(({ kind }) => kind === 'external_customer_id');
    return found.isNew && isReferenceAlone ? refuseStranger() : found;
  });
  return {
    book,
    known,
    customerIds: taken.map(({ customerId }) => book.survivorOf(customerId)),
    saidOf: taken.map(({ saidOf }) => saidOf),
  };
}

const refuseStranger = (): never =>
  refuse(
    'unknown_customer_ref',
    'Nobody is known by that name, and nothing was stored. Send email or phone beside it.',
  );
