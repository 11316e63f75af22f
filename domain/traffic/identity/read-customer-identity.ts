import type { Routes } from '@tributary/contract';
import {
  findCustomer,
  listDisputed,
  listMergesOf,
  listSamePerson,
  listStatedIdentifiers,
  listUnmergeable,
  type StatedIdentifier,
} from '@tributary/domain/commerce/customers';
import { countOutcomesByMember } from '@tributary/domain/commerce/outcomes';
import { countBrowsersByOrigin } from '@tributary/domain/traffic/ingestion';
import { answer, type Handles, refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { type IdentifierKind, limits } from '@tributary/vocabulary';
import { toMergeResponse } from './merge-response.ts';

const { most } = limits.identity;

export const readCustomerIdentity: Handles<Routes['readCustomerIdentity']> = async (
  { params },
  { caller, ledger, mentions },
) => {
  const data = await ledger.transaction((tx) => readIdentity(tx, caller.profileId, params.id), { readOnly: true });
  mentions(data.customer_profile_id);
  return answer(200, { data });
};

async function readIdentity(tx: Tx, profileId: string, id: string) {
  const customerId = await findCustomer(tx, profileId, id);
  if (!customerId) refuse('not_found', 'There is no such customer in this profile.');
  const samePerson = await listSamePerson(tx, profileId, customerId, { offset: 0, limit: most.counted });
  const customers = samePerson.slice(0, most.customers);
  const ids = customers.map((customer) => customer.id);
  const identifiers = Map.groupBy(
    await listStatedIdentifiers(tx, profileId, customerId, most.identifiers),
    ({ saidOf }) => saidOf,
  );
  const browsers = await countBrowsersByOrigin(tx, profileId, customerId);
  const outcomes = await countOutcomesByMember(tx, profileId, customerId, ids);
  const disputed = await listDisputed(tx, profileId, customerId, { offset: 0, limit: most.identifiers });
  return {
    customer_profile_id: customerId,
    customers: customers.map((customer) => ({
      customer_profile_id: customer.id,
      name: getOwnName(customer),
      first_seen_at: (customer.own ? new Date(customer.own.firstSeenAt) : customer.first_seen_at).toISOString(),
      identifiers: (identifiers.get(customer.id) ?? []).map(toIdentifierResponse),
      browsers: browsers.get(customer.id) ?? 0,
      outcomes: outcomes.get(customer.id) ?? 0,
    })),
    customer_count: samePerson.length,
    merges: (await listMergesOf(tx, profileId, ids, most.merges)).map(toMergeResponse),
    disputed: disputed.map(({ said_at, kind, ...rest }) => ({
      ...rest,
      kind: kind as IdentifierKind,
      said_at: said_at.toISOString(),
    })),
    kept_apart: (await listUnmergeable(tx, profileId, customerId, most.merges)).map((pair) => ({
      customer_profile_id: pair.customerId,
      merge_id: pair.mergeId,
      since: pair.keptAt.toISOString(),
    })),
  };
}

const toIdentifierResponse = ({ kind, value, source, saidAt }: StatedIdentifier) => ({
  kind: kind as IdentifierKind,
  value,
  source,
  said_at: saidAt.toISOString(),
});

/** The customer's own name before merges: the survivor's record also holds names of merged customers. */
function getOwnName({ own, first_name, last_name }: Awaited<ReturnType<typeof listSamePerson>>[number]): string | null {
  const names = own ? [own.firstName, own.lastName] : [first_name, last_name];
  return names.filter(Boolean).join(' ') || null;
}
