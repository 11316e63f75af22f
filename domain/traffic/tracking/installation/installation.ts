import { type ProfileContext, refuse } from '@tributary/operations';
import { chooseOrigin } from '../domains/origin.ts';
import { findSettings, listActiveKeys, listDomains } from '../store.ts';

/** The data that every way of installing the tracker needs. */
export interface Installation {
  readonly key: string;
  readonly origin: string;
  readonly isConsentRequired: boolean;
}

export async function readInstallation(
  { ledger, caller }: ProfileContext,
  collectorUrl: string,
): Promise<Installation> {
  const profileId = caller.profileId;
  const { keys, domains, settings } = await ledger.transaction(
    async (tx) => ({
      keys: await listActiveKeys(tx, profileId),
      domains: await listDomains(tx, profileId),
      settings: await findSettings(tx, profileId),
    }),
    { readOnly: true },
  );
  const [active] = keys;
  if (!active) {
    return refuse('invalid_state', 'The profile has no active tracking key. POST /api/v1/tracking/keys issues one.', {
      fields: { reason: 'no_tracking_key' },
    });
  }
  return {
    key: active.key,
    origin: chooseOrigin(domains, collectorUrl).url,
    isConsentRequired: settings?.is_consent_required ?? false,
  };
}
