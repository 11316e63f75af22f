import { findContacts, findCustomerKeys } from '@tributary/domain/commerce/customers';
import type { Tx } from '@tributary/postgres';
import type { ExportEvent } from '@tributary/providers';
import { isOpaqueKey } from '@tributary/rules';
import type { Composed } from './compose.ts';

type Person = NonNullable<ExportEvent['person']>;

/** Adds the current customer data to events, except for customers who refused consent. */
export async function withPeople(tx: Tx, profileId: string, composed: readonly Composed[]): Promise<Composed[]> {
  const ids = [...new Set(composed.flatMap(({ customerId }) => customerId ?? []))];
  const [contacts, keys] = [await findContacts(tx, profileId, ids), await findCustomerKeys(tx, profileId, ids)];
  return composed.map((one) => {
    const { customerId, event } = one;
    const contact = customerId ? contacts.get(customerId) : undefined;
    if (!contact || event.consent?.adUserData === false) return one;
    const name = [contact.first_name, contact.last_name].filter(Boolean).join(' ');
    const key = customerId ? keys.get(customerId) : undefined;
    const person: Person = {
      ...(contact.email && { email: contact.email }),
      ...(contact.phone && { phone: contact.phone }),
      ...(name && { name }),
      ...(key && isOpaqueKey(key) && { externalId: key }),
    };
    return Object.keys(person).length === 0 ? one : { ...one, event: { ...event, person } };
  });
}
