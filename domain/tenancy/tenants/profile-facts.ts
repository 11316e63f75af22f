import type { Tx } from '@tributary/postgres';
import { isPlan } from '@tributary/rules';
import type { Plan } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { lockWorkspace } from './store.ts';

/** Queries on profiles and workspaces for other modules. */

/** The reporting settings of a profile. */
export interface ProfileFacts {
  readonly timeZone: string;
  readonly currency: string;
}

export async function findProfile(tx: Tx, profileId: string): Promise<ProfileFacts | undefined> {
  const { rows } = await sql<ProfileFacts>`
    SELECT time_zone AS "timeZone", reporting_currency AS currency FROM profiles WHERE id = ${profileId}`.execute(tx);
  return rows[0];
}

/**
 * Records that all money of the profile is converted to its current currency. The affected conversions are marked dirty, so reports may still lag
 * behind.
 */
export async function recordRepriced(tx: Tx, profileId: string): Promise<void> {
  await sql`
    UPDATE profiles SET repriced_at = clock_timestamp() WHERE id = ${profileId} AND repricing_since IS NOT NULL`.execute(
    tx,
  );
}

/** Like `findProfile`, but throws when the profile does not exist. */
export async function getProfile(tx: Tx, profileId: string): Promise<ProfileFacts> {
  return (await findProfile(tx, profileId)) ?? throwMissingProfile();
}

/** A range of days in the profile's time zone, as the instants at which the first day begins and the last day ends. */
export interface ProfileDays extends ProfileFacts {
  readonly from: Date;
  readonly until: Date;
}

/** With `asOf`, uses the time zone and currency that were set at that instant. */
export async function findDays(
  tx: Tx,
  profileId: string,
  firstDay: string,
  lastDay: string,
  asOf?: Date,
): Promise<ProfileDays> {
  const settings = asOf
    ? sql`(
        SELECT time_zone, reporting_currency FROM (
          SELECT time_zone, reporting_currency, replaced_at FROM profile_settings_history
          WHERE profile_id = ${profileId} AND replaced_at > ${asOf}
          UNION ALL
          SELECT time_zone, reporting_currency, 'infinity' FROM profiles WHERE id = ${profileId}) s
        ORDER BY replaced_at LIMIT 1) s`
    : sql`profiles WHERE id = ${profileId}`;
  const { rows } = await sql<ProfileDays>`
    SELECT time_zone AS "timeZone", reporting_currency AS currency, ${firstDay}::date::timestamp AT TIME ZONE time_zone AS "from",
      (${lastDay}::date + 1)::timestamp AT TIME ZONE time_zone AS until
    FROM ${settings}`.execute(tx);
  return rows[0] ?? throwMissingProfile();
}

function throwMissingProfile(): never {
  throw new Error('The profile is gone.');
}

/** Whether the workspace has this profile and it is not archived. */
export async function hasProfile(tx: Tx, workspaceId: string, profileId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('profiles')
    .select('id')
    .where('id', '=', profileId)
    .where('workspace_id', '=', workspaceId)
    .where('archived_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether the profile is deleted or being deleted, so that computing for it is pointless. Archived profiles return false: they may be restored. */
export async function isBeingDeleted(tx: Tx, profileId: string): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM profiles WHERE id = ${profileId} AND NOT is_being_deleted(id)`.execute(tx);
  return rows.length === 0;
}

/** Whether a profile is active: neither archived nor being deleted. */
export async function isActiveProfile(tx: Tx, profileId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('profiles')
    .select('id')
    .where('id', '=', profileId)
    .where('archived_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}

/** The workspace that a profile belongs to; undefined when there is no such profile. */
export async function findWorkspaceOf(tx: Tx, profileId: string): Promise<string | undefined> {
  const row = await tx.selectFrom('profiles').select('workspace_id').where('id', '=', profileId).executeTakeFirst();
  return row?.workspace_id;
}

export async function findProfileName(tx: Tx, profileId: string): Promise<string | undefined> {
  const row = await tx.selectFrom('profiles').select('name').where('id', '=', profileId).executeTakeFirst();
  return row?.name;
}

/** Names of those ids that are profiles of the workspace, including archived ones. */
export async function findProfileNames(
  tx: Tx,
  workspaceId: string,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ id: string; name: string }>`
    SELECT id, name FROM profiles WHERE workspace_id = ${workspaceId} AND id = ANY (${ids}::uuid[])`.execute(tx);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

export async function findWorkspaceName(tx: Tx, workspaceId: string): Promise<string | undefined> {
  const row = await tx.selectFrom('workspaces').select('name').where('id', '=', workspaceId).executeTakeFirst();
  return row?.name;
}

/** Whether an app provisioned the workspace. Members of such a workspace receive no e-mail from Tributary. */
export async function isAppProvisioned(tx: Tx, workspaceId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('workspaces')
    .select('provisioned_by')
    .where('id', '=', workspaceId)
    .executeTakeFirst();
  return (row?.provisioned_by ?? null) !== null;
}

/** The id of the owner that an app named, even before the owner accepts the invitation. */
export async function findNamedOwner(tx: Tx, workspaceId: string): Promise<string | null> {
  const row = await tx.selectFrom('workspaces').select('owner_id').where('id', '=', workspaceId).executeTakeFirst();
  return row?.owner_id ?? null;
}

export async function isTestProfile(tx: Tx, profileId: string): Promise<boolean> {
  const row = await tx.selectFrom('profiles').select('is_test').where('id', '=', profileId).executeTakeFirst();
  return row?.is_test ?? false;
}

/** The app that created the profile and governs it; null if there is none. */
export async function findGoverningApp(tx: Tx, profileId: string): Promise<string | null> {
  const row = await tx.selectFrom('profiles').select('governing_app_id').where('id', '=', profileId).executeTakeFirst();
  return row?.governing_app_id ?? null;
}

/** Requires a transaction scoped to the profile. Counts an unknown profile as healthcare. */
export async function isHealthcareProfile(tx: Tx, profileId: string): Promise<boolean> {
  const { rows } = await sql<{
    is_healthcare: boolean;
  }>`SELECT is_healthcare FROM find_visit_profiles(${[profileId]}::uuid[])`.execute(tx);
  return rows[0]?.is_healthcare ?? true;
}

export async function hasWorkspace(tx: Tx, workspaceId: string): Promise<boolean> {
  const row = await tx.selectFrom('workspaces').select('id').where('id', '=', workspaceId).executeTakeFirst();
  return row !== undefined;
}

export async function findPlan(tx: Tx, workspaceId: string): Promise<string | undefined> {
  const row = await tx.selectFrom('workspaces').select('plan').where('id', '=', workspaceId).executeTakeFirst();
  return row?.plan;
}

/** Locks the workspace, so that two concurrent requests cannot both use the last slot of the plan. */
export async function lockPlan(tx: Tx, workspaceId: string): Promise<Plan> {
  const plan = (await lockWorkspace(tx, workspaceId))?.plan;
  return plan !== undefined && isPlan(plan) ? plan : 'free';
}

export async function findPrivacyMode(tx: Tx, profileId: string): Promise<string | undefined> {
  const { rows } = await sql<{
    mode: string;
  }>`SELECT privacy_mode AS mode FROM profiles WHERE id = ${profileId}`.execute(tx);
  return rows[0]?.mode;
}
