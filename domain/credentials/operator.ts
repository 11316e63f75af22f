import { type OAuthScope, Scope } from '@tributary/contract';
import { audit } from '@tributary/domain/accountability';
import type { Ledger, Postgres } from '@tributary/postgres';
import { v7 as uuid } from 'uuid';
import { hashSecret, mintSecret } from './secret.ts';

/** What the operator does from the command line. It passes the same walls and leaves the same audit entries as a request. */
const operatorActor = { kind: 'public', credentialId: 'operator' } as const;

export interface NewWorkspace {
  readonly name: string;
  readonly plan: string;
  readonly isHealthcareAgency: boolean;
}

export async function createWorkspaceByOperator(app: Postgres, workspace: NewWorkspace, now: Date): Promise<string> {
  const id = uuid();
  await app.forWorkspace(id).transaction(async (tx) => {
    await tx
      .insertInto('workspaces')
      .values({
        id,
        name: workspace.name,
        plan: workspace.plan,
        is_healthcare_agency: workspace.isHealthcareAgency,
        created_at: now,
      })
      .execute();
    await audit(tx, operatorActor, 'cli', now, {
      workspaceId: id,
      action: 'workspace.created',
      target: `workspace:${id}`,
    });
  });
  return id;
}

export interface NewProfile {
  readonly workspaceId: string;
  readonly name: string;
  readonly privacyMode: string;
  readonly timeZone: string;
  readonly reportingCurrency: string;
}

export async function createProfileByOperator(app: Postgres, profile: NewProfile, now: Date): Promise<string> {
  const id = uuid();
  const { workspaceId } = profile;
  await app.forWorkspace(workspaceId).transaction(async (tx) => {
    await tx
      .insertInto('profiles')
      .values({
        id,
        workspace_id: workspaceId,
        name: profile.name,
        privacy_mode: profile.privacyMode,
        time_zone: profile.timeZone,
        reporting_currency: profile.reportingCurrency,
        created_at: now,
      })
      .execute();
    await audit(tx, operatorActor, 'cli', now, { workspaceId, action: 'profile.created', target: `profile:${id}` });
  });
  return id;
}

export const listWorkspaces = (operator: Ledger, limit: number) =>
  operator.transaction((tx) =>
    tx
      .selectFrom('workspaces')
      .select(['id', 'name', 'plan', 'is_healthcare_agency', 'archived_at'])
      .orderBy('id')
      .limit(limit)
      .execute(),
  );

export const listProfiles = (operator: Ledger, limit: number, workspaceId?: string) =>
  operator.transaction((tx) => {
    const profiles = tx
      .selectFrom('profiles')
      .select(['id', 'workspace_id', 'name', 'privacy_mode', 'time_zone', 'reporting_currency', 'archived_at'])
      .orderBy('id')
      .limit(limit);
    return (workspaceId ? profiles.where('workspace_id', '=', workspaceId) : profiles).execute();
  });

export interface NewKey {
  readonly profileId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly requestsPerMinute: number;
}

/** The secret is in the result and nowhere else. */
export async function createKeyByOperator(app: Postgres, key: NewKey, now: Date): Promise<{ id: string; key: string }> {
  const scopes = key.scopes.map((scope) => Scope.parse(scope));
  const id = uuid();
  const secret = mintSecret('apiKey');
  await app.forProfile(key.profileId).transaction(async (tx) => {
    const { workspace_id } = await tx
      .selectFrom('profiles')
      .select('workspace_id')
      .where('id', '=', key.profileId)
      .executeTakeFirstOrThrow();
    await tx
      .insertInto('api_keys')
      .values({
        profile_id: key.profileId,
        id,
        name: key.name,
        hash: hashSecret(secret),
        prefix: secret.slice(0, 14),
        last4: secret.slice(-4),
        scopes,
        requests_per_minute: key.requestsPerMinute,
        created_at: now,
      })
      .execute();
    await audit(tx, operatorActor, 'cli', now, {
      workspaceId: workspace_id,
      action: 'key.created',
      target: `api_key:${id}`,
      detail: { scopes },
    });
  });
  return { id, key: secret };
}

export async function revokeKeyByOperator(
  app: Postgres,
  profileId: string,
  keyId: string,
  now: Date,
): Promise<boolean> {
  const revoked = await app
    .forProfile(profileId)
    .transaction((tx) =>
      tx
        .updateTable('api_keys')
        .set({ revoked_at: now })
        .where('profile_id', '=', profileId)
        .where('id', '=', keyId)
        .where('revoked_at', 'is', null)
        .returning('id')
        .executeTakeFirst(),
    );
  return revoked !== undefined;
}

export const listKeysOfProfile = (app: Postgres, profileId: string, limit: number) =>
  app
    .forProfile(profileId)
    .transaction((tx) =>
      tx
        .selectFrom('api_keys')
        .select(['id', 'name', 'prefix', 'last4', 'scopes', 'created_at', 'last_used_at', 'expires_at', 'revoked_at'])
        .where('profile_id', '=', profileId)
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),
    );

/** Gives an app a grant on a profile that it did not create itself. */
export async function grantByOperator(
  app: Postgres,
  profileId: string,
  appId: string,
  scopes: readonly OAuthScope[],
  now: Date,
): Promise<void> {
  await app.forProfile(profileId).transaction((tx) =>
    tx
      .insertInto('grants')
      .values({ profile_id: profileId, app_id: appId, oauth_scopes: [...scopes], created_at: now, updated_at: now })
      .onConflict((conflict) =>
        conflict
          .columns(['profile_id', 'app_id'])
          .doUpdateSet({ oauth_scopes: [...scopes], updated_at: now, revoked_at: null }),
      )
      .execute(),
  );
}

/** Puts a profile, or a workspace with all of its profiles, out of reach; `deleteTenant` then removes it. Undefined: there is none. */
export async function archiveByOperator(
  operator: Ledger,
  target: { readonly workspaceId: string } | { readonly profileId: string },
  now: Date,
): Promise<{ workspaceId: string; profileId?: string } | undefined> {
  return operator.transaction(async (tx) => {
    if ('profileId' in target) {
      const { profileId } = target;
      const row = await tx
        .updateTable('profiles')
        .set({ archived_at: now })
        .where('id', '=', profileId)
        .returning('workspace_id')
        .executeTakeFirst();
      return row && { workspaceId: row.workspace_id, profileId };
    }
    const { workspaceId } = target;
    const row = await tx
      .updateTable('workspaces')
      .set({ archived_at: now })
      .where('id', '=', workspaceId)
      .returning('id')
      .executeTakeFirst();
    if (row)
      await tx.updateTable('profiles').set({ archived_at: now }).where('workspace_id', '=', workspaceId).execute();
    return row && { workspaceId };
  });
}
