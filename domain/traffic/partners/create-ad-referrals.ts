import type { Routes } from '@tributary/contract';
import { type Evidence, findCustomerKeys, saveCustomers } from '@tributary/domain/commerce/customers';
import { markTouchedCustomers } from '@tributary/domain/commerce/outcomes';
import { answer, type Handles } from '@tributary/operations';
import { v7 as uuid } from 'uuid';
import { readReferrals } from './referrals.ts';
import { resolveCustomers } from './resolve-customers.ts';
import type { PartnerServices } from './services.ts';
import { findExistingTouches, insertTouches, type NewTouch, type PartnerTouch } from './store.ts';

/** Records the ads that conversations came from: all referrals of the request, or none. */
export const createAdReferrals: Handles<Routes['createAdReferrals'], PartnerServices> = async ({ body }, context) => {
  const { caller, now, requestId, effect, tombstones, mentions, showKey } = context;
  const { profileId } = caller;
  const evidence: Evidence = { source: 'partner', saidAt: now, requestId };
  return effect(async (tx) => {
    const { all, existing, fresh } = await readReferrals(tx, body, context);
    const { book, customerIds, saidOf } = await resolveCustomers(tx, profileId, fresh, evidence, tombstones);
    await saveCustomers(tx, profileId, book.changes());
    const touches = fresh.map(
      ({ at, adId, origin, keyHash }, index): NewTouch => ({
        id: uuid(),
        kind: 'ad_referral',
        customerId: customerIds[index] as string,
        saidOf: saidOf[index] as string,
        occurredAt: at,
        origin,
        adExternalId: adId,
        answerKey: null,
        keyHash,
        answerText: null,
      }),
    );
    const inserted = await insertTouches(tx, profileId, touches, now);
    await markTouchedCustomers(
      tx,
      profileId,
      touches.flatMap(({ id, customerId, occurredAt }) => (inserted.has(id) ? [{ customerId, at: occurredAt }] : [])),
    );
    // Earlier touches, including those that a concurrent request inserted under the same keys.
    const existingTouches =
      inserted.size === touches.length
        ? existing
        : await findExistingTouches(
            tx,
            profileId,
            'ad_referral',
            all.map(({ keyHash }) => keyHash),
          );
    const byHash = new Map([
      ...touches.map((touch) => [touch.keyHash.toString('hex'), touch] as const),
      ...existingTouches,
    ]);
    const seen = new Set<string>();
    const touchResults = all.map(({ keyHash, said }) => {
      const hash = keyHash.toString('hex');
      const touch = byHash.get(hash) as PartnerTouch;
      // A key that occurs twice in the request is recorded once.
      const isRecorded = inserted.has(touch.id) && !seen.has(hash);
      seen.add(hash);
      return { touch, said, status: isRecorded ? ('recorded' as const) : ('duplicate' as const) };
    });
    const keys = await findCustomerKeys(tx, profileId, [...new Set(touchResults.map(({ touch }) => touch.customerId))]);
    const results = touchResults.map(({ touch: { id, customerId }, status, said }) => {
      mentions(customerId);
      return {
        touch_id: id,
        status,
        customer_key: showKey({ of: customerId, profileId, key: keys.get(customerId), said }),
      };
    });
    const countByStatus = (status: string) => results.filter((result) => result.status === status).length;
    return answer(200, {
      data: { results, summary: { recorded: countByStatus('recorded'), duplicate: countByStatus('duplicate') } },
    });
  });
};
