import { randomUUID } from 'node:crypto';
import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { limits, minuteMs } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import type { TrackingServices } from '../services.ts';
import { countVerificationsSince, insertVerification, listActiveKeys } from '../store.ts';
import { lookAtPage } from './look-at-page.ts';
import { showVerification } from './tracking-verification.ts';

/** Each fetches a page that the caller chose: nobody is to be flooded through us. */
const { perMinute, lifeMinutes } = limits.trackingVerification;

export const createTrackingVerification: Handles<
  Routes['createTrackingVerification'],
  Pick<TrackingServices, 'outbound'>
> = async ({ body }, { caller, ledger, effect, now, outbound }) => {
  const profileId = caller.profileId;
  const { keys, started } = await ledger.transaction(
    async (tx) => ({
      keys: await listActiveKeys(tx, profileId),
      started: await countVerificationsSince(tx, profileId, new Date(now.getTime() - minuteMs)),
    }),
    { readOnly: true },
  );
  if (started >= perMinute) {
    refuse('rate_limit_exceeded', `A profile starts up to ${perMinute} verifications a minute.`, {
      fields: { reason: 'verifications' },
      headers: { 'retry-after': '60' },
    });
  }
  const hint = await lookAtPage(outbound, body.url, keys[0]?.key);
  return effect(async (tx) => {
    const row = await insertVerification(tx, {
      profile_id: profileId,
      id: uuid(),
      nonce: randomUUID(),
      url: body.url,
      is_snippet_present: hint.isSnippetPresent,
      fetch_verdict: hint.words,
      started_at: now,
      expires_at: new Date(now.getTime() + lifeMinutes * minuteMs),
    });
    return answer(201, { data: showVerification(row, now) });
  });
};
