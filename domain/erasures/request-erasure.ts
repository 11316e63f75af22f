import {
  findClaimants,
  findTombstones,
  hasUnconfirmedKeys,
  nameOfIdentifier,
  openCustomers,
  separateKeys,
} from '@tributary/domain/customers';
import { type Context, refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import type { Identifier } from '@tributary/rules';
import { type ErasureServices, eraseCustomer } from './erase-customer.ts';
import { decideErasure } from './erasure.ts';
import { showReceipt } from './receipt.ts';
import { type ErasureBody, readSelector, wrong } from './selector.ts';
import { findByRef, findErasures, lockRef } from './store.ts';

type Asker = Pick<Context, 'now' | 'mentions' | 'addToAudit' | 'showKey'> & ErasureServices;

/** What both routes do, in a transaction that stands behind the wall of the profile. Shape, reference, selector: in this order. */
export async function requestErasure(tx: Tx, profileId: string, body: ErasureBody, context: Asker) {
  const { now, mentions, addToAudit, tombstones, vault } = context;
  const { request_ref, reason } = body;
  const selector = readSelector(body);
  const said = selector.kind === 'external_customer_id' ? selector.value : undefined;
  await lockRef(tx, profileId, request_ref);
  const known = await openCustomers(tx, profileId, [selector], tombstones);
  const hash = tombstones.hashOf(profileId, nameOfIdentifier(selector));
  const graves = await findTombstones(tx, profileId, [hash]);
  const decision = decideErasure({
    byRef: await findByRef(tx, profileId, request_ref),
    byName: await findErasures(
      tx,
      profileId,
      graves.map(({ erasureId }) => erasureId),
    ),
    isKey: selector.kind === 'external_customer_id',
    customerId: known.customers[0]?.id,
  });
  switch (decision.kind) {
    case 'used_for_another':
      return wrong('request_ref', 'was used for another customer; a new request needs a new one');
    case 'nobody':
      return refuse('customer_not_found', 'Nobody in this profile answers to that. Nothing was erased.');
    case 'repeat':
      return { status: 200 as const, receipt: showReceipt(profileId, decision.receipt, context, { said }) };
    case 'erase': {
      const customerId = await findErased(tx, profileId, decision.customerId, selector, context);
      mentions(customerId);
      const asked = { profileId, customerId, selector, requestRef: request_ref, reason, at: now };
      const erasure = await eraseCustomer(tx, asked, { tombstones, vault });
      addToAudit({ detail: { profile_id: profileId, reason } });
      return { status: 202 as const, receipt: showReceipt(profileId, erasure, context, { of: customerId, said }) };
    }
  }
}

/**
 * The one customer that the selector names. An email or phone that several customers carry names none of them. A customer that earlier
 * versions made of several keys is taken apart first, so that an erasure never reaches beyond the key that was named.
 */
async function findErased(
  tx: Tx,
  profileId: string,
  found: string,
  selector: Identifier,
  { now, tombstones }: Asker,
): Promise<string> {
  const { kind } = selector;
  if (kind === 'email' || kind === 'phone') {
    const others = (await findClaimants(tx, profileId, selector)).filter((id) => id !== found);
    if (others.length > 0 || (await hasUnconfirmedKeys(tx, profileId, found)))
      return wrong(kind, 'matches several customers; name the one to erase by "customer_key". Nothing was erased');
    return found;
  }
  const undoing = { profileId, at: now, by: 'erasure', reason: 'Two keys of the caller had been joined.', tombstones };
  if (!(await separateKeys(tx, found, undoing))) return found;
  const { customers } = await openCustomers(tx, profileId, [selector], tombstones);
  return customers[0]?.id ?? found;
}
