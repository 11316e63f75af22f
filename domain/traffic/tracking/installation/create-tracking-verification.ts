import { randomUUID } from 'node:crypto';
import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { limits, minuteMs } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import type { TrackingServices } from '../services.ts';
import { countVerificationsSince, insertVerification, listActiveKeys, lockVerifications, saveHint } from '../store.ts';
import { checkPage } from './check-page.ts';
import { toVerificationResponse } from './tracking-verification.ts';

/** Limited, because each verification fetches a page that the caller chose: it must not become a flooding tool. */
const { perMinute, lifeMinutes } = limits.trackingVerification;

export const createTrackingVerification: Handles<
  Routes['createTrackingVerification'],
  Pick<TrackingServices, 'outbound'>
> = async ({ body }, { caller, ledger, effect, now, outbound }) => {
  const profileId = caller.profileId;
  const id = uuid();
  // Stored before the fetch and under a lock, so that concurrent verifications are all counted.
  const key = await ledger.transaction(async (tx) => {
    await lockVerifications(tx, profileId);
    const started = await countVerificationsSince(tx, profileId, new Date(now.getTime() - minuteMs));
    if (started >= perMinute) {
      refuse('rate_limit_exceeded', `A profile starts up to ${perMinute} verifications a minute.`, {
        fields: { reason: 'verifications' },
        headers: { 'retry-after': '60' },
      });
    }
    await insertVerification(tx, {
      profile_id: profileId,
      id,
      nonce: randomUUID(),
      url: body.url,
      started_at: now,
      expires_at: new Date(now.getTime() + lifeMinutes * minuteMs),
    });
    return (await listActiveKeys(tx, profileId))[0]?.key;
  });
  const hint = await checkPage(outbound, body.url, key);
  return effect(async (tx) => {
    const row = await saveHint(tx, profileId, id, hint);
    return answer(201, { data: toVerificationResponse(row, now) });
  });
};
