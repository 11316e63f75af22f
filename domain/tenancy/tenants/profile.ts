import type { PrivacyMode } from '@tributary/contract';
import { refuse } from '@tributary/operations';
import type { Schema } from '@tributary/postgres';
import { isCurrency, isHealthcareFamily } from '@tributary/rules';
import type { Selectable } from 'kysely';

type ProfileRow = Selectable<Schema['profiles']>;

export function toProfileResponse(row: ProfileRow, isHealthcareAgency: boolean) {
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    name: row.name,
    privacy_mode: row.privacy_mode as PrivacyMode,
    is_healthcare_family: isHealthcareFamily({ isHealthcareAgency, privacyMode: row.privacy_mode }),
    time_zone: row.time_zone,
    reporting_currency: row.reporting_currency,
    is_attribution_enabled: row.is_attribution_enabled,
    is_test: row.is_test,
    created_at: row.created_at.toISOString(),
  };
}

/** A profile as an entry of the workspace's list. */
export const toWorkspaceProfile = (row: ProfileRow) => ({
  id: row.id,
  name: row.name,
  time_zone: row.time_zone,
  reporting_currency: row.reporting_currency,
  created_at: row.created_at.toISOString(),
  archived_at: row.archived_at?.toISOString() ?? null,
});

/** The schema checks only for three letters. Reports cannot format an unknown currency. */
export function refuseUnknownCurrency(currency: string | undefined): void {
  if (currency !== undefined && !isCurrency(currency))
    refuse('validation_error', `${currency} is no currency of ISO 4217; send one like CLP or USD.`, {
      fields: { field: 'reporting_currency' },
    });
}
