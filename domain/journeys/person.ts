import { findCustomer, findCustomerBy } from '@tributary/domain/customers';
import { findHolders, listBrowsers } from '@tributary/domain/ingestion';
import { findOutcome, type NamedOutcome, type OutcomeOwner } from '@tributary/domain/outcomes';
import type { Tx } from '@tributary/postgres';
import type { Identifier } from '@tributary/rules';

/** Whose journey it is. */
export interface Person {
  /** Null while nobody is known. */
  readonly customerId: string | null;
  /** What the person is stored under: the customer's id, or the browser's. */
  readonly id: string;
  readonly visitorIds: readonly string[];
  readonly owner: OutcomeOwner;
}

/** Of somebody with more browsers than this, those that were linked last are followed. */
const mostBrowsers = 20_000;

/** By a customer's id, or by that of a browser: then its customer, if it has one by now. An id that nobody has is one without a past. */
export async function findPerson(tx: Tx, profileId: string, id: string): Promise<Person> {
  const customerId = (await findCustomer(tx, profileId, id)) ?? (await findHolders(tx, profileId, [id])).get(id);
  return customerId ? personOf(tx, profileId, customerId) : nobodyKnown(id);
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
  if (visitorId) return { outcome, person: nobodyKnown(visitorId) };
  // What brought it may still stand under the outcome itself.
  return { outcome, person: { customerId: null, id, visitorIds: [id], owner: { outcomeId: id } } };
}

async function personOf(tx: Tx, profileId: string, customerId: string): Promise<Person> {
  const browsers = await listBrowsers(tx, profileId, customerId, { offset: 0, limit: mostBrowsers });
  return {
    customerId,
    id: customerId,
    // In an order of their own, so that the pages of a journey are cut alike whatever is linked when.
    visitorIds: browsers.map(({ visitor_id }) => visitor_id).sort(),
    owner: { customerId },
  };
}

const nobodyKnown = (visitorId: string): Person => ({
  customerId: null,
  id: visitorId,
  visitorIds: [visitorId],
  owner: { visitorId },
});
