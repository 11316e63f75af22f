import type { Tx } from '@tributary/postgres';
import { visitsPerDay } from '@tributary/rules';
import { findSettings, type SettingsRow } from './store.ts';

/** The profile's settings that apply to visits before they are stored. */
export async function visitRules(
  tx: Tx,
  profileId: string,
): Promise<{ readonly isConsentRequired: boolean; readonly keepsCity: boolean }> {
  const { is_consent_required, keeps_city } = toSettingsResponse(await findSettings(tx, profileId), undefined);
  return { isConsentRequired: is_consent_required, keepsCity: keeps_city };
}

export function toSettingsResponse(row: SettingsRow | undefined, plan: string | undefined) {
  const own = row?.daily_visit_quota ?? null;
  return {
    allowed_hosts: row?.allowed_hosts ?? [],
    own_hosts: row?.own_hosts ?? [],
    redirect_hosts: row?.redirect_hosts ?? [],
    is_consent_required: row?.is_consent_required ?? false,
    is_signed_identify_required: row?.is_signed_identify_required ?? false,
    keeps_city: row?.keeps_city ?? true,
    daily_visit_quota: own,
    effective_daily_visit_quota: visitsPerDay(plan, own),
    updated_at: row?.updated_at.toISOString() ?? null,
  };
}
