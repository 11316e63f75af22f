import { visitsPerDay } from '@tributary/rules';
import type { SettingsRow } from './store.ts';

export function showSettings(row: SettingsRow | undefined, plan: string | undefined) {
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
