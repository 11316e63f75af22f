import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { visitsPerDay } from '@tributary/rules';
import { foldHost } from './domains/host-name.ts';
import { readPlan } from './read-tracking-settings.ts';
import { saveSettings } from './store.ts';
import { toSettingsResponse } from './tracking-settings.ts';

export const updateTrackingSettings: Handles<Routes['updateTrackingSettings']> = async ({ body }, context) => {
  const { caller, effect, now, addToAudit } = context;
  const plan = await readPlan(context);
  const maxQuota = visitsPerDay(plan, null);
  if ((body.daily_visit_quota ?? 0) > maxQuota) {
    refuse(
      'validation_error',
      `The field "daily_visit_quota" may be up to ${maxQuota}, which is what the plan includes.`,
      {
        fields: { field: 'daily_visit_quota' },
      },
    );
  }
  const { is_consent_required, is_signed_identify_required, keeps_city, daily_visit_quota } = body;
  const changes = {
    ...foldHosts('allowed_hosts', body.allowed_hosts),
    ...foldHosts('own_hosts', body.own_hosts),
    ...foldHosts('redirect_hosts', body.redirect_hosts),
    ...(is_consent_required !== undefined && { is_consent_required }),
    ...(is_signed_identify_required !== undefined && { is_signed_identify_required }),
    ...(keeps_city !== undefined && { keeps_city }),
    ...(daily_visit_quota !== undefined && { daily_visit_quota }),
  };
  return effect(async (tx) => {
    const row = await saveSettings(tx, caller.profileId, changes, now);
    addToAudit({ detail: { changed: Object.keys(changes) } });
    return answer(200, { data: toSettingsResponse(row, plan) });
  });
};

function foldHosts<Name extends string>(name: Name, hosts: readonly string[] | undefined) {
  if (!hosts) return {};
  const folded = hosts.map((host, index) => {
    const field = `${name}.${index}`;
    return (
      foldHost(host) ??
      refuse('validation_error', `The field "${field}" must be a host name, like shop.example.`, { fields: { field } })
    );
  });
  return { [name]: [...new Set(folded)] } as Record<Name, string[]>;
}
