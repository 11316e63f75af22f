import { findContacts, findCustomerKeys, findProviderIds } from '@tributary/domain/commerce/customers';
import { findOutcomeCustomers } from '@tributary/domain/commerce/outcomes';
import type { LoggedEvent } from '@tributary/domain/tenancy/events';
import { keyFor } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { isOpaqueKey } from '@tributary/rules';
import { channels, type IdentifierKind } from '@tributary/vocabulary';
import type { EventPerson } from './envelope.ts';

export interface OutcomePeople {
  /** Customer data by outcome id. Missing for deleted outcomes; empty when the customer was erased. */
  readonly byOutcome: ReadonlyMap<string, EventPerson>;
  readonly erased: ReadonlySet<string>;
  /** The customers whose data is disclosed, by outcome id. */
  readonly customers: ReadonlyMap<string, string>;
}

export const outcomeIdOf = ({ payload }: Pick<LoggedEvent, 'payload'>): string => payload.outcome_id as string;

/** Reads the current customers of outcomes, with contacts only for callers who may see personal data. */
export async function readPeople(
  tx: Tx,
  profileId: string,
  outcomeIds: readonly string[],
  seesPeople: boolean,
): Promise<OutcomePeople> {
  const rows = await findOutcomeCustomers(tx, profileId, outcomeIds);
  const customerIds = [
    ...new Set(rows.flatMap(({ customerId, isErased }) => (customerId && !isErased ? [customerId] : []))),
  ];
  const keys = await findCustomerKeys(tx, profileId, customerIds);
  const kinds = [...new Set(rows.flatMap(({ source }) => providerIdKind(source) ?? []))];
  const providerIdOf = await findProviderIds(tx, profileId, customerIds, kinds);
  const contacts = seesPeople ? await findContacts(tx, profileId, customerIds) : new Map();
  const scopes = new Set(seesPeople ? (['customers:read'] as const) : []);
  const byOutcome = new Map<string, EventPerson>();
  const customers = new Map<string, string>();
  for (const { id, source, customerId, isErased } of rows) {
    if (!customerId || isErased) {
      byOutcome.set(id, { customerKey: null, contact: null, isWithheld: !seesPeople });
      continue;
    }
    const kind = providerIdKind(source);
    const providerId = kind && providerIdOf(customerId, kind);
    const own = keyFor({ scopes, isHealthcare: false }, { key: keys.get(customerId), said: undefined });
    const customerKey = own ?? (providerId && isOpaqueKey(providerId) ? providerId : null);
    const contact = contacts.get(customerId) ?? null;
    byOutcome.set(id, { customerKey, contact, isWithheld: !seesPeople });
    if (customerKey !== null || contact !== null) customers.set(id, customerId);
  }
  return { byOutcome, erased: new Set(rows.filter(({ isErased }) => isErased).map(({ id }) => id)), customers };
}

/** The identifier kind under which a provider's customer id is stored. */
function providerIdKind(source: string): IdentifierKind | undefined {
  if (source in channels) return providerIdKinds[channels[source as keyof typeof channels].kind];
  return undefined;
}

const providerIdKinds: Readonly<Record<string, IdentifierKind>> = {
  crm: 'crm_contact_id',
  payments: 'payments_customer_id',
  store: 'store_customer_id',
};
