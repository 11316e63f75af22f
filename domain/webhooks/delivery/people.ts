import { findContacts, findCustomerKeys, findProviderIds } from '@tributary/domain/customers';
import type { LoggedEvent } from '@tributary/domain/events';
import { findPeopleOf } from '@tributary/domain/outcomes';
import { keyFor } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { isOpaqueKey } from '@tributary/rules';
import { channels, type IdentifierKind } from '@tributary/vocabulary';
import type { ToldPerson } from './envelope.ts';

export interface OutcomePeople {
  /** By the id of the outcome. Of one that is gone, or whose customer was erased, nobody is told. */
  readonly told: ReadonlyMap<string, ToldPerson>;
  readonly erased: ReadonlySet<string>;
  /** The customers of whom something is told. */
  readonly customers: ReadonlyMap<string, string>;
}

export const outcomeIdOf = ({ payload }: Pick<LoggedEvent, 'payload'>): string => payload.outcome_id as string;

/** Who outcomes are about, as they are at this moment, for somebody who may see people or may not. */
export async function readPeople(
  tx: Tx,
  profileId: string,
  outcomeIds: readonly string[],
  seesPeople: boolean,
): Promise<OutcomePeople> {
  const rows = await findPeopleOf(tx, profileId, outcomeIds);
  const customerIds = [
    ...new Set(rows.flatMap(({ customerId, isErased }) => (customerId && !isErased ? [customerId] : []))),
  ];
  const keys = await findCustomerKeys(tx, profileId, customerIds);
  const kinds = [...new Set(rows.flatMap(({ source }) => providerIdKind(source) ?? []))];
  const providerIdOf = await findProviderIds(tx, profileId, customerIds, kinds);
  const contacts = seesPeople ? await findContacts(tx, profileId, customerIds) : new Map();
  const scopes = new Set(seesPeople ? (['customers:read'] as const) : []);
  const told = new Map<string, ToldPerson>();
  const customers = new Map<string, string>();
  for (const { id, source, customerId, isErased } of rows) {
    if (!customerId || isErased) {
      told.set(id, { customerKey: null, contact: null, isWithheld: !seesPeople });
      continue;
    }
    const kind = providerIdKind(source);
    const providerId = kind && providerIdOf(customerId, kind);
    const own = keyFor({ scopes, isHealthcare: false }, { key: keys.get(customerId), said: undefined });
    const customerKey = own ?? (providerId && isOpaqueKey(providerId) ? providerId : null);
    const contact = contacts.get(customerId) ?? null;
    told.set(id, { customerKey, contact, isWithheld: !seesPeople });
    if (customerKey !== null || contact !== null) customers.set(id, customerId);
  }
  return { told, erased: new Set(rows.filter(({ isErased }) => isErased).map(({ id }) => id)), customers };
}

/** Under which kind of identifier a provider's own id of a customer is stored. */
function providerIdKind(source: string): IdentifierKind | undefined {
  if (source in channels) return providerIdKinds[channels[source as keyof typeof channels].kind];
  return undefined;
}

const providerIdKinds: Readonly<Record<string, IdentifierKind>> = {
  crm: 'crm_contact_id',
  payments: 'payments_customer_id',
  store: 'store_customer_id',
};
