import type { IdentifierKind } from '@tributary/vocabulary';

/**
 * Cases of identity decisions. Customers are single letters, older ones first in `before`; an identifier is written
 * "kind value". Every implementation, in memory or in a store, must turn `before` into `after` when it processes
 * `says`.
 */
export interface IdentityCase {
  readonly title: string;
  readonly before: Readonly<Record<string, readonly string[]>>;
  readonly says: readonly string[];
  /** The customer that the message is about; "new" for a new customer. */
  readonly is: string;
  readonly after: Readonly<Record<string, readonly string[]>>;
  readonly conflicts?: readonly string[];
  /** Identifiers held by another keyed customer and claimed by this one. */
  readonly claimed?: readonly string[];
}

export const parseIdentifier = (text: string): { kind: IdentifierKind; value: string } => {
  const [kind, value = ''] = text.split(' ');
  return { kind: kind as IdentifierKind, value };
};

export const identityCases: readonly IdentityCase[] = [
  {
    title: 'without a known identifier: a new customer gets all identifiers',
    before: {},
    says: ['email a', 'phone 1'],
    is: 'new',
    after: { new: ['email a', 'phone 1'] },
  },
  {
    title: 'one identifier is known: the others are bound to its holder',
    before: { A: ['email a'] },
    says: ['phone 1', 'email a', 'external_customer_id x'],
    is: 'A',
    after: { A: ['email a', 'external_customer_id x', 'phone 1'] },
  },
  {
    title: 'a repeated message changes nothing',
    before: { A: ['email a', 'phone 1'] },
    says: ['email a', 'phone 1'],
    is: 'A',
    after: { A: ['email a', 'phone 1'] },
  },
  {
    title: 'two strong identifiers of two customers merge them, and the older survives',
    before: { A: ['email a'], B: ['external_customer_id x', 'phone 2'] },
    says: ['external_customer_id x', 'email a'],
    is: 'A',
    after: { A: ['email a', 'external_customer_id x', 'phone 2'] },
  },
  {
    title: 'the older customer survives, even if the younger has the stronger identifier',
    before: { A: ['email a'], B: ['national_id 1'] },
    says: ['national_id 1', 'email a'],
    is: 'A',
    after: { A: ['email a', 'national_id 1'] },
  },
  {
    title: 'three customers are merged at once',
    before: { A: ['crm_contact_id c'], B: ['store_customer_id s'], C: ['payments_customer_id p'] },
    says: ['payments_customer_id p', 'store_customer_id s', 'crm_contact_id c', 'email new'],
    is: 'A',
    after: { A: ['crm_contact_id c', 'email new', 'payments_customer_id p', 'store_customer_id s'] },
  },
  {
    title:
      'customers with different national ids are never merged: the strongest identifier decides, and the other stays with its holder',
    before: { A: ['email a', 'national_id 1'], B: ['national_id 2'] },
    says: ['national_id 2', 'email a', 'phone 9'],
    is: 'B',
    after: { A: ['email a', 'national_id 1'], B: ['national_id 2', 'phone 9'] },
    conflicts: ['email a'],
  },
  {
    title: 'the strongest identifier decides also if the message has no national id',
    before: { A: ['email a', 'national_id 1'], B: ['external_customer_id x', 'national_id 2'] },
    says: ['email a', 'external_customer_id x'],
    is: 'B',
    after: { A: ['email a', 'national_id 1'], B: ['external_customer_id x', 'national_id 2'] },
    conflicts: ['email a'],
  },
  {
    title:
      'a new national id is not added to a customer who has another: a child with its mother’s address is a new customer',
    before: { A: ['email a', 'national_id 1'] },
    says: ['national_id 2', 'email a'],
    is: 'new',
    after: { A: ['email a', 'national_id 1'], new: ['national_id 2'] },
    conflicts: ['email a'],
  },
  {
    title: 'of three customers, the two without a conflict are merged',
    before: {
      A: ['email a', 'national_id 1'],
      B: ['external_customer_id x'],
      C: ['crm_contact_id c', 'national_id 2'],
    },
    says: ['external_customer_id x', 'crm_contact_id c', 'email a'],
    is: 'B',
    after: { A: ['email a', 'national_id 1'], B: ['crm_contact_id c', 'external_customer_id x', 'national_id 2'] },
    conflicts: ['email a'],
  },
  {
    title: 'a phone finds a customer',
    before: { A: ['email a', 'phone 1'] },
    says: ['phone 1'],
    is: 'A',
    after: { A: ['email a', 'phone 1'] },
  },
  {
    title:
      'a new key beside a known phone is a new customer if the phone’s holder has a key: the phone stays with its holder',
    before: { A: ['external_customer_id mother', 'phone 1'] },
    says: ['external_customer_id son', 'phone 1'],
    is: 'new',
    after: { A: ['external_customer_id mother', 'phone 1'], new: ['external_customer_id son'] },
    claimed: ['phone 1'],
  },
  {
    title: 'a new key beside the email of a customer with another key is a new customer',
    before: { A: ['email family', 'external_customer_id mother'] },
    says: ['external_customer_id son', 'email family'],
    is: 'new',
    after: { A: ['email family', 'external_customer_id mother'], new: ['external_customer_id son'] },
    claimed: ['email family'],
  },
  {
    title: 'an email does not merge two customers with different keys: the key decides whom the message is about',
    before: { A: ['email family', 'external_customer_id mother'], B: ['external_customer_id son'] },
    says: ['email family', 'external_customer_id son'],
    is: 'B',
    after: { A: ['email family', 'external_customer_id mother'], B: ['external_customer_id son'] },
    claimed: ['email family'],
  },
  {
    title: 'an email merges a customer without a key into the one keyed customer',
    before: { A: ['email a'], B: ['external_customer_id x'] },
    says: ['email a', 'external_customer_id x'],
    is: 'A',
    after: { A: ['email a', 'external_customer_id x'] },
  },
  {
    title: 'a message without a key does not merge two keyed customers: its strongest identifier decides',
    before: { A: ['email a', 'external_customer_id x'], B: ['crm_contact_id c', 'external_customer_id y'] },
    says: ['email a', 'crm_contact_id c'],
    is: 'B',
    after: { A: ['email a', 'external_customer_id x'], B: ['crm_contact_id c', 'external_customer_id y'] },
    claimed: ['email a'],
  },
  {
    title: 'a national id does not merge two keyed customers either',
    before: { A: ['external_customer_id x', 'national_id 1'], B: ['external_customer_id y'] },
    says: ['external_customer_id y', 'national_id 1'],
    is: 'B',
    after: { A: ['external_customer_id x', 'national_id 1'], B: ['external_customer_id y'] },
    claimed: ['national_id 1'],
  },
  {
    title: 'the holder of the key gets the record and keeps the first national id',
    before: { A: ['external_customer_id x', 'national_id 1'] },
    says: ['external_customer_id x', 'national_id 2'],
    is: 'A',
    after: { A: ['external_customer_id x', 'national_id 1'] },
    conflicts: ['national_id 2'],
  },
  {
    title: 'also if the holder has any other strong identifier',
    before: { A: ['email a', 'phone 1', 'wa_id 1'] },
    says: ['external_customer_id son', 'phone 1', 'wa_id 1'],
    is: 'new',
    after: { A: ['email a', 'phone 1', 'wa_id 1'], new: ['external_customer_id son'] },
  },
  {
    title: 'a WhatsApp lead who later pays is one person: new strong identifiers join the phone’s holder',
    before: { A: ['phone 1', 'wa_id 1'] },
    says: ['payments_customer_id p', 'email a', 'phone 1'],
    is: 'A',
    after: { A: ['email a', 'payments_customer_id p', 'phone 1', 'wa_id 1'] },
  },
  {
    title: 'a phone merges two customers if one of them has no strong identifier',
    before: { A: ['phone 1'], B: ['email b'] },
    says: ['email b', 'phone 1'],
    is: 'A',
    after: { A: ['email b', 'phone 1'] },
  },
  {
    title: 'a phone does not merge two customers who both have a strong identifier: families share phones',
    before: { A: ['email a', 'phone 1'], B: ['email b'] },
    says: ['email b', 'phone 1'],
    is: 'B',
    after: { A: ['email a', 'phone 1'], B: ['email b'] },
  },
  {
    title: 'phone and wa_id do not merge two customers who both have a strong identifier either',
    before: { A: ['email a', 'phone 1'], B: ['email b', 'wa_id 2'] },
    says: ['wa_id 2', 'phone 1'],
    is: 'A',
    after: { A: ['email a', 'phone 1'], B: ['email b', 'wa_id 2'] },
  },
  {
    title: 'phone and wa_id merge a customer without strong identifiers and one with',
    before: { A: ['email a', 'phone 1'], B: ['wa_id 2'] },
    says: ['wa_id 2', 'phone 1'],
    is: 'A',
    after: { A: ['email a', 'phone 1', 'wa_id 2'] },
  },
  {
    title: 'phone and wa_id merge two customers without strong identifiers',
    before: { A: ['phone 1'], B: ['wa_id 2'] },
    says: ['phone 1', 'wa_id 2'],
    is: 'A',
    after: { A: ['phone 1', 'wa_id 2'] },
  },
  {
    title: 'identifiers of the message itself count as held: a wa_id must not merge its customer with another',
    before: { A: ['phone 1'], B: ['email b', 'wa_id 2'] },
    says: ['email new', 'phone 1', 'wa_id 2'],
    is: 'A',
    after: { A: ['email new', 'phone 1'], B: ['email b', 'wa_id 2'] },
  },
  {
    title:
      'a phone does not bind a new national id to its holder, who has another; this is no conflict, because phones are shared',
    before: { A: ['national_id 1', 'phone 1'] },
    says: ['national_id 2', 'phone 1'],
    is: 'new',
    after: { A: ['national_id 1', 'phone 1'], new: ['national_id 2'] },
  },
  {
    title: 'an identifier repeated in one message counts once',
    before: {},
    says: ['email a', 'email a'],
    is: 'new',
    after: { new: ['email a'] },
  },
];
