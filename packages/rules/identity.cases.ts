import type { IdentifierKind } from '@tributary/vocabulary';

/**
 * The rules of identity as a table. Customers are single letters, older ones first in `before`; an identifier is written
 * "kind value". Whatever resolves identities, in memory or in a store, must turn `before` into `after` by `says`.
 */
export interface IdentityCase {
  readonly title: string;
  readonly before: Readonly<Record<string, readonly string[]>>;
  readonly says: readonly string[];
  /** Who the message is about; "new" for somebody who was not there before. */
  readonly is: string;
  readonly after: Readonly<Record<string, readonly string[]>>;
  readonly conflicts?: readonly string[];
  /** What another keyed customer holds and the customer carries, too. */
  readonly claimed?: readonly string[];
}

export const parseIdentifier = (text: string): { kind: IdentifierKind; value: string } => {
  const [kind, value = ''] = text.split(' ');
  return { kind: kind as IdentifierKind, value };
};

export const identityCases: readonly IdentityCase[] = [
  {
    title: 'nobody is known: somebody new holds all that was said',
    before: {},
    says: ['email a', 'phone 1'],
    is: 'new',
    after: { new: ['email a', 'phone 1'] },
  },
  {
    title: 'one identifier is known: the others join it',
    before: { A: ['email a'] },
    says: ['phone 1', 'email a', 'external_customer_id x'],
    is: 'A',
    after: { A: ['email a', 'external_customer_id x', 'phone 1'] },
  },
  {
    title: 'the same again changes nothing',
    before: { A: ['email a', 'phone 1'] },
    says: ['email a', 'phone 1'],
    is: 'A',
    after: { A: ['email a', 'phone 1'] },
  },
  {
    title: 'two strong identifiers of two customers make them one, and the older survives',
    before: { A: ['email a'], B: ['external_customer_id x', 'phone 2'] },
    says: ['external_customer_id x', 'email a'],
    is: 'A',
    after: { A: ['email a', 'external_customer_id x', 'phone 2'] },
  },
  {
    title: 'the older survives, even when the younger holds the stronger identifier',
    before: { A: ['email a'], B: ['national_id 1'] },
    says: ['national_id 1', 'email a'],
    is: 'A',
    after: { A: ['email a', 'national_id 1'] },
  },
  {
    title: 'three at once',
    before: { A: ['crm_contact_id c'], B: ['store_customer_id s'], C: ['payments_customer_id p'] },
    says: ['payments_customer_id p', 'store_customer_id s', 'crm_contact_id c', 'email new'],
    is: 'A',
    after: { A: ['crm_contact_id c', 'email new', 'payments_customer_id p', 'store_customer_id s'] },
  },
  {
    title: 'different national ids never become one: the strongest identifier decides, and the other stays where it is',
    before: { A: ['email a', 'national_id 1'], B: ['national_id 2'] },
    says: ['national_id 2', 'email a', 'phone 9'],
    is: 'B',
    after: { A: ['email a', 'national_id 1'], B: ['national_id 2', 'phone 9'] },
    conflicts: ['email a'],
  },
  {
    title: 'the strongest decides without a national id in the message, too',
    before: { A: ['email a', 'national_id 1'], B: ['external_customer_id x', 'national_id 2'] },
    says: ['email a', 'external_customer_id x'],
    is: 'B',
    after: { A: ['email a', 'national_id 1'], B: ['external_customer_id x', 'national_id 2'] },
    conflicts: ['email a'],
  },
  {
    title:
      'a new national id is not added to somebody who has another: the child with the mother’s address is somebody new',
    before: { A: ['email a', 'national_id 1'] },
    says: ['national_id 2', 'email a'],
    is: 'new',
    after: { A: ['email a', 'national_id 1'], new: ['national_id 2'] },
    conflicts: ['email a'],
  },
  {
    title: 'of three, the two that can be one become one',
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
      'a new key beside a known phone is somebody new where the phone’s holder has a key: the phone stays with its holder',
    before: { A: ['external_customer_id mother', 'phone 1'] },
    says: ['external_customer_id son', 'phone 1'],
    is: 'new',
    after: { A: ['external_customer_id mother', 'phone 1'], new: ['external_customer_id son'] },
    claimed: ['phone 1'],
  },
  {
    title: 'a new key beside the email of a customer with another key is a customer of its own',
    before: { A: ['email family', 'external_customer_id mother'] },
    says: ['external_customer_id son', 'email family'],
    is: 'new',
    after: { A: ['email family', 'external_customer_id mother'], new: ['external_customer_id son'] },
    claimed: ['email family'],
  },
  {
    title: 'an email does not join two customers with different keys: the key decides whom the message is about',
    before: { A: ['email family', 'external_customer_id mother'], B: ['external_customer_id son'] },
    says: ['email family', 'external_customer_id son'],
    is: 'B',
    after: { A: ['email family', 'external_customer_id mother'], B: ['external_customer_id son'] },
    claimed: ['email family'],
  },
  {
    title: 'an email joins a customer without a key to the one keyed customer',
    before: { A: ['email a'], B: ['external_customer_id x'] },
    says: ['email a', 'external_customer_id x'],
    is: 'A',
    after: { A: ['email a', 'external_customer_id x'] },
  },
  {
    title: 'a message without a key does not join two keyed customers: its strongest identifier decides',
    before: { A: ['email a', 'external_customer_id x'], B: ['crm_contact_id c', 'external_customer_id y'] },
    says: ['email a', 'crm_contact_id c'],
    is: 'B',
    after: { A: ['email a', 'external_customer_id x'], B: ['crm_contact_id c', 'external_customer_id y'] },
    claimed: ['email a'],
  },
  {
    title: 'a national id does not join two keyed customers either',
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
    title: 'and where the holder has any other strong identifier',
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
    title: 'a phone joins two when one of them holds nothing strong',
    before: { A: ['phone 1'], B: ['email b'] },
    says: ['email b', 'phone 1'],
    is: 'A',
    after: { A: ['email b', 'phone 1'] },
  },
  {
    title: 'a phone does not join two who both hold something strong: families share it',
    before: { A: ['email a', 'phone 1'], B: ['email b'] },
    says: ['email b', 'phone 1'],
    is: 'B',
    after: { A: ['email a', 'phone 1'], B: ['email b'] },
  },
  {
    title: 'phone and wa_id do not join two who both hold something strong either',
    before: { A: ['email a', 'phone 1'], B: ['email b', 'wa_id 2'] },
    says: ['wa_id 2', 'phone 1'],
    is: 'A',
    after: { A: ['email a', 'phone 1'], B: ['email b', 'wa_id 2'] },
  },
  {
    title: 'phone and wa_id join somebody who holds nothing strong to somebody who does',
    before: { A: ['email a', 'phone 1'], B: ['wa_id 2'] },
    says: ['wa_id 2', 'phone 1'],
    is: 'A',
    after: { A: ['email a', 'phone 1', 'wa_id 2'] },
  },
  {
    title: 'phone and wa_id join two who hold nothing strong',
    before: { A: ['phone 1'], B: ['wa_id 2'] },
    says: ['phone 1', 'wa_id 2'],
    is: 'A',
    after: { A: ['phone 1', 'wa_id 2'] },
  },
  {
    title: 'what the message itself says counts as held: it must not join its person to another by a wa_id',
    before: { A: ['phone 1'], B: ['email b', 'wa_id 2'] },
    says: ['email new', 'phone 1', 'wa_id 2'],
    is: 'A',
    after: { A: ['email new', 'phone 1'], B: ['email b', 'wa_id 2'] },
  },
  {
    title:
      'a phone does not make a new national id its holder’s, who has another; that is no conflict, phones are shared',
    before: { A: ['national_id 1', 'phone 1'] },
    says: ['national_id 2', 'phone 1'],
    is: 'new',
    after: { A: ['national_id 1', 'phone 1'], new: ['national_id 2'] },
  },
  {
    title: 'said twice in one message is said once',
    before: {},
    says: ['email a', 'email a'],
    is: 'new',
    after: { new: ['email a'] },
  },
];
