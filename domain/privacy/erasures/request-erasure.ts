import {
  findClaimants,
  findTombstones,
  hasUnconfirmedKeys,
  nameOfIdentifier,
  openCustomers,
  separateKeys,
} from '@tributary/domain/commerce/customers';
import { type Context, refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import type { Identifier } from '@tributary/rules';
import { type ErasureServices, eraseCustomer } from './erase-customer.ts';
import { decideErasure } from './erasure.ts';
import { toReceiptResponse } from './receipt.ts';
import { type ErasureBody, readSelector, wrong } from './selector.ts';
import { findByRef, findErasures, lockRef } from './store.ts';

type RequestContext = Pick<Context, 'now' | 'mentions' | 'addToAudit' | 'showKey'> & ErasureServices;

/**
 * Shared by both routes; runs in a transaction scoped to the profile by row-level security. Validates the body, the request_ref and the
 * selector in this order.
 */
export async function requestErasure(tx: Tx, profileId: string, body: ErasureBody, context: RequestContext) {
  const { now, mentions, addToAudit, tombstones, vault } = context;
  const { request_ref, reason } = body;
  const selector = readSelector(body);
  const givenKey = selector.kind === 'external_customer_id' ? selector.value : undefined;
  await lockRef(tx, profileId, request_ref);
  const matches = await openCustomers(tx, profileId, [selector], tombstones);
  const hash = tombstones.hashOf(profileId, nameOfIdentifier(selector));
  const tombstoneRows = await findTombstones(tx, profileId, [hash]);
  const decision = decideErasure({
    byRef: await findByRef(tx, profileId, request_ref),
    byName: await findErasures(
      tx,
      profileId,
      tombstoneRows.map(({ erasureId }) => erasureId),
    ),
    isKey: selector.kind === 'external_customer_id',
    customerId: matches.customers[0]?.id,
  });
  switch (decision.kind) {
    case 'used_for_another':
      return wrong('request_ref', 'was used for another customer; a new request needs a new one');
    case 'nobody':
      return refuse('customer_not_found', 'Nobody in this profile answers to that. Nothing was erased.');
    case 'repeat':
      return {
        status: 200 as const,
        receipt: toReceiptResponse(profileId, decision.receipt, context, { said: givenKey }),
      };
    case 'erase': {
      const customerId = await resolveCustomer(tx, profileId, decision.customerId, selector, context);
      mentions(customerId);
      const request = { profileId, customerId, selector, requestRef: request_ref, reason, at: now };
      const erasure = await eraseCustomer(tx, request, { tombstones, vault });
      addToAudit({ detail: { profile_id: profileId, reason } });
      return {
        status: 202 as const,
        receipt: toReceiptResponse(profileId, erasure, context, { of: customerId, said: givenKey }),
      };
    }
  }
}

/**
 * Resolves the selector to one customer. An email or phone that several customers share selects none. A customer that earlier versions
 * merged from several keys is separated first, so that an erasure never extends beyond the given key.
 */
async function resolveCustomer(
  tx: Tx,
  profileId: string,
  found: string,
  selector: Identifier,
  { now, tombstones }: RequestContext,
): Promise<string> {
  const { kind } = selector;
  if (kind === 'email' || kind === 'phone') {
    const others = (await findClaimants(tx, profileId, selector)).filter((id) => id !== found);
    if (others.length > 0 || (await hasUnconfirmedKeys(tx, profileId, found)))
      return wrong(kind, 'matches several customers; name the one to erase by "customer_key". Nothing was erased');
    return found;
  }
  const separation = {
    profileId,
    at: now,
    by: 'erasure',
    reason: 'Two keys of the caller had been joined.',
    tombstones,
  };
  if (!(await separateKeys(tx, found, separation))) return found;
  const { customers } = await openCustomers(tx, profileId, [selector], tombstones);
  return customers[0]?.id ?? found;
}
