import { randomUUID } from 'node:crypto';
import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { limits, minuteMs } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import type { TrackingServices } from '../services.ts';
import { countVerificationsSince, insertVerification, listActiveKeys, lockVerifications, saveHint } from '../store.ts';
import { lookAtPage } from './look-at-page.ts';
import { showVerification } from './tracking-verification.ts';

/** Each fetches a page that the caller chose: nobody is to be flooded through us. */
const { perMinute, lifeMinutes } = limits.trackingVerification;

export const createTrackingVerification: Handles<
  Routes['createTrackingVerification'],
  Pick<TrackingServices, 'outbound'>
> = async ({ body }, { caller, ledger, effect, now, outbound }) => {
  const profileId = caller.profileId;
  const id = uuid();
  // Written before the page is fetched, and under a lock: of many that are started at once each sees the others.
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
  const hint = await lookAtPage(outbound, body.url, key);
  return effect(async (tx) => {
    const row = await saveHint(tx, profileId, id, hint);
    return answer(201, { data: showVerification(row, now) });
  });
};
