import type { Postgres } from '@tributary/postgres';
import type { PrivacyMode } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { farOf } from './shards.ts';

export interface BuiltProfile {
  readonly id: string;
  readonly workspaceId: string;
}

export interface ProfileTraits {
  readonly workspaceId?: string;
  readonly isHealthcareAgency?: boolean;
  readonly privacyMode?: PrivacyMode;
  readonly timeZone?: string;
  readonly reportingCurrency?: string;
  readonly plan?: string;
}

/** Inserts a profile, in a new workspace unless one is given. */
export async function buildProfile(postgres: Postgres, traits: ProfileTraits = {}): Promise<BuiltProfile> {
  const id = uuid();
  const workspaceId = traits.workspaceId ?? uuid();
  const there = traits.workspaceId ? postgres : farOf(postgres);
  await there.forWorkspace(workspaceId).transaction(async (tx) => {
    const createdAt = new Date('2026-01-01T00:00:00Z');
    await tx
      .insertInto('workspaces')
      .values({
        id: workspaceId,
        name: 'Test workspace',
        is_healthcare_agency: traits.isHealthcareAgency ?? false,
        ...(traits.plan && { plan: traits.plan }),
        created_at: createdAt,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await tx
      .insertInto('profiles')
      .values({
        id,
        workspace_id: workspaceId,
        name: 'Test profile',
        privacy_mode: traits.privacyMode ?? 'standard',
        time_zone: traits.timeZone ?? 'UTC',
        reporting_currency: traits.reportingCurrency ?? 'USD',
        created_at: createdAt,
      })
      .execute();
  });
  return { id, workspaceId };
}
