import { findCustomer, findCustomerBy } from '@tributary/domain/commerce/customers';
import { findOutcome, type NamedOutcome, type OutcomeOwner } from '@tributary/domain/commerce/outcomes';
import { findHolders, listBrowsers } from '@tributary/domain/traffic/ingestion';
import type { Tx } from '@tributary/postgres';
import type { Identifier } from '@tributary/rules';

/** The customer or anonymous visitor whose journey is read. */
export interface Person {
  /** Null for an anonymous visitor. */
  readonly customerId: string | null;
  /** The id under which the journey is stored: the customer's or the visitor's. */
  readonly id: string;
  readonly visitorIds: readonly string[];
  readonly owner: OutcomeOwner;
}

/** Caps the browsers per customer: the most recently linked ones are used. */
const maxBrowsers = 20_000;

/**
 * Finds a person by customer id or visitor id; a visitor id resolves to its customer once it is linked. An unknown id has an empty journey.
 */
export async function findPerson(tx: Tx, profileId: string, id: string): Promise<Person> {
  const customerId = (await findCustomer(tx, profileId, id)) ?? (await findHolders(tx, profileId, [id])).get(id);
  return customerId ? personOf(tx, profileId, customerId) : anonymousVisitor(id);
}

export async function findPersonBy(tx: Tx, profileId: string, identifier: Identifier): Promise<Person | undefined> {
  const customerId = await findCustomerBy(tx, profileId, identifier);
  return customerId ? personOf(tx, profileId, customerId) : undefined;
}

export async function findPersonBehind(
  tx: Tx,
  profileId: string,
  handle: string,
): Promise<{ person: Person; outcome: NamedOutcome } | undefined> {
  const outcome = await findOutcome(tx, profileId, handle);
  if (!outcome) return undefined;
  const { customerId, visitorId, id } = outcome;
  if (customerId) return { outcome, person: await personOf(tx, profileId, customerId) };
  if (visitorId) return { outcome, person: anonymousVisitor(visitorId) };
  // The touch that brought the conversion may be stored under the outcome's own id.
  return { outcome, person: { customerId: null, id, visitorIds: [id], owner: { outcomeId: id } } };
}

async function personOf(tx: Tx, profileId: string, customerId: string): Promise<Person> {
  const browsers = await listBrowsers(tx, profileId, customerId, { offset: 0, limit: maxBrowsers });
  return {
    customerId,
    id: customerId,
    // Sorted, so that pages of a journey do not shift when links are added in another order.
    visitorIds: browsers.map(({ visitor_id }) => visitor_id).sort(),
    owner: { customerId },
  };
}

const anonymousVisitor = (visitorId: string): Person => ({
  customerId: null,
  id: visitorId,
  visitorIds: [visitorId],
  owner: { visitorId },
});
