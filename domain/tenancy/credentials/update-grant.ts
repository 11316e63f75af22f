import { type Routes, scopesOfGrant } from '@tributary/contract';
import { governedProfile } from '@tributary/domain/tenancy/tenants';
import { answer, type Handles, refuse } from '@tributary/operations';
import { switchScope } from '@tributary/postgres';
import { effectiveScopes } from '@tributary/rules';
import { saveGrant } from './store.ts';

export const updateGrant: Handles<Routes['updateGrant']> = async ({ params, body }, context) => {
  const { effect, caller, now, addToAudit } = context;
  const { profileId, workspaceId, isHealthcare } = await governedProfile(context, params.profileId);
  if (isHealthcare && body.scopes.includes('analytics_pii')) {
    refuse(
      'healthcare_scope_forbidden',
      'This profile counts as healthcare: ask for "analytics", which shows no people.',
    );
  }
  const scopes = [...new Set(body.scopes)].sort();
  return effect(async (tx) => {
    await switchScope(tx, { profileId });
    await saveGrant(tx, profileId, caller.appId as string, scopes, now);
    addToAudit({ log: { workspaceId }, detail: { app_id: caller.appId ?? null, scopes } });
    const granted = scopesOfGrant(scopes, false);
    return answer(200, {
      data: { scopes, effective_scopes: [...effectiveScopes(granted, granted, isHealthcare)].sort() },
      meta: { profile_id: profileId },
    });
  });
};
