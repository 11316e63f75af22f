import { type Routes, scopesOfGrant } from '@tributary/contract';
import { audit } from '@tributary/domain/accountability';
import { governedProfile } from '@tributary/domain/tenants';
import { answer, type Handles, refuse } from '@tributary/operations';
import { effectiveScopes } from '@tributary/rules';

export const updateGrant: Handles<Routes['updateGrant']> = async ({ params, body }, context) => {
  const { behind, caller, now, requestId } = context;
  const { profileId, workspaceId, isHealthcare } = await governedProfile(context, params.profileId);
  if (isHealthcare && body.scopes.includes('analytics_pii')) {
    refuse(
      'healthcare_scope_forbidden',
      'This profile counts as healthcare: ask for "analytics", which shows no people.',
    );
  }
  const scopes = [...new Set(body.scopes)].sort();
  return behind({ profileId }).transaction(async (tx) => {
    const revokedAt = scopes.length === 0 ? now : null;
    await tx
      .insertInto('grants')
      .values({
        profile_id: profileId,
        app_id: caller.appId as string,
        oauth_scopes: scopes,
        created_at: now,
        updated_at: now,
        revoked_at: revokedAt,
      })
      .onConflict((conflict) =>
        conflict
          .columns(['profile_id', 'app_id'])
          .doUpdateSet({ oauth_scopes: scopes, updated_at: now, revoked_at: revokedAt }),
      )
      .execute();
    await audit(tx, caller, requestId, now, {
      workspaceId,
      action: 'grant.updated',
      target: `profile:${profileId}`,
      detail: { app_id: caller.appId ?? null, scopes },
    });
    const granted = scopesOfGrant(scopes, false);
    return answer(200, {
      data: { scopes, effective_scopes: [...effectiveScopes(granted, granted, isHealthcare)].sort() },
      meta: { profile_id: profileId },
    });
  });
};
