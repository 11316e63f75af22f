import type { Routes } from '@tributary/contract';
import { type Evidence, findCustomerKeys, saveCustomers } from '@tributary/domain/customers';
import { markTouchedCustomers } from '@tributary/domain/outcomes';
import { answer, type Handles } from '@tributary/operations';
import { v7 as uuid } from 'uuid';
import { resolveNamed } from './named-customers.ts';
import { readReferrals } from './referrals.ts';
import type { PartnerServices } from './services.ts';
import { findTold, insertTouches, type NewTouch, type PartnerTouch } from './store.ts';

/** Keeps which ads conversations came from: all of the request, or none. */
export const createAdReferrals: Handles<Routes['createAdReferrals'], PartnerServices> = async ({ body }, context) => {
  const { caller, now, requestId, effect, tombstones, mentions, showKey } = context;
  const { profileId } = caller;
  const evidence: Evidence = { source: 'partner', saidAt: now, requestId };
  return effect(async (tx) => {
    const { all, told, fresh } = await readReferrals(tx, body, context);
    const { book, customerIds, saidOf } = await resolveNamed(tx, profileId, fresh, evidence, tombstones);
    await saveCustomers(tx, profileId, book.changes());
    const touches = fresh.map(
      ({ at, adId, origin, toldAs }, index): NewTouch => ({
        id: uuid(),
        kind: 'ad_referral',
        customerId: customerIds[index] as string,
        saidOf: saidOf[index] as string,
        occurredAt: at,
        origin,
        adExternalId: adId,
        answerKey: null,
        toldAs,
        answerText: null,
      }),
    );
    const inserted = await insertTouches(tx, profileId, touches, now);
    await markTouchedCustomers(
      tx,
      profileId,
      touches.flatMap(({ id, customerId, occurredAt }) => (inserted.has(id) ? [{ customerId, at: occurredAt }] : [])),
    );
    // Those of before and, where somebody told the same key at this moment, theirs.
    const stands =
      inserted.size === touches.length
        ? told
        : await findTold(
            tx,
            profileId,
            'ad_referral',
            all.map(({ toldAs }) => toldAs),
          );
    const byHash = new Map([...touches.map((touch) => [touch.toldAs.toString('hex'), touch] as const), ...stands]);
    const seen = new Set<string>();
    const shown = all.map(({ toldAs, said }) => {
      const hash = toldAs.toString('hex');
      const touch = byHash.get(hash) as PartnerTouch;
      // A key that stands in the request twice is recorded once.
      const isRecorded = inserted.has(touch.id) && !seen.has(hash);
      seen.add(hash);
      return { touch, said, status: isRecorded ? ('recorded' as const) : ('duplicate' as const) };
    });
    const keys = await findCustomerKeys(tx, profileId, [...new Set(shown.map(({ touch }) => touch.customerId))]);
    const results = shown.map(({ touch: { id, customerId }, status, said }) => {
      mentions(customerId);
      return {
        touch_id: id,
        status,
        customer_key: showKey({ of: customerId, profileId, key: keys.get(customerId), said }),
      };
    });
    const count = (wanted: string) => results.filter(({ status }) => status === wanted).length;
    return answer(200, { data: { results, summary: { recorded: count('recorded'), duplicate: count('duplicate') } } });
  });
};
