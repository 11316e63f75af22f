import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { v7 as uuid } from 'uuid';
import { isReturnAllowed } from './allowed-return.ts';
import { hashCapability, mintCapability, sealCapability } from './capability.ts';
import { getExpiry } from './handoff.ts';
import { toHandoffResponse } from './handoff-response.ts';
import { readReturnUrl } from './return-url.ts';
import type { HandoffServices } from './services.ts';
import { insertHandoff } from './store.ts';

export const createHandoff: Handles<Routes['createHandoff'], HandoffServices> = async (
  { params: { provider }, body },
  { caller, effect, now, addToAudit, baseUrl, vault },
) => {
  const { profileId, appId } = caller;
  if (body.profile_id !== undefined && body.profile_id !== profileId)
    refuse('not_found', 'There is no such profile for this credential.');
  const id = uuid();
  const capability = mintCapability();
  return effect(async (tx) => {
    const returnUrl = body.return_url === undefined ? undefined : readReturnUrl(body.return_url)?.href;
    if (body.return_url !== undefined) {
      if (!returnUrl || !(await isReturnAllowed(tx, { profileId, appId, returnUrl, baseUrl })))
        refuse(
          'invalid_parameter',
          'return_url: must be a web address without user name or password, on an origin that the app allows, for a profile that the app governs. Without an app: the connections page of the profile in the console.',
        );
    }
    const row = await insertHandoff(tx, {
      profile_id: profileId,
      id,
      app_id: appId ?? null,
      provider,
      return_url: returnUrl ?? null,
      capability_hash: hashCapability(capability),
      capability: sealCapability(vault, { profileId, id }, capability),
      created_at: now,
      expires_at: getExpiry(now),
    });
    addToAudit({ detail: { provider, app_id: appId ?? null, returns: returnUrl !== undefined } });
    return answer(201, { data: toHandoffResponse(row, { baseUrl, vault }, now) });
  });
};
