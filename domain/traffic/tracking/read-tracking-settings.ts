import type { Routes } from '@tributary/contract';
import { findPlan } from '@tributary/domain/tenancy/tenants';
import { answer, type Handles, type ProfileContext } from '@tributary/operations';
import { findSettings } from './store.ts';
import { toSettingsResponse } from './tracking-settings.ts';

export const readTrackingSettings: Handles<Routes['readTrackingSettings']> = async (_input, context) => {
  const { ledger, caller } = context;
  const row = await ledger.transaction((tx) => findSettings(tx, caller.profileId), { readOnly: true });
  return answer(200, { data: toSettingsResponse(row, await readPlan(context)) });
};

/** The plan is stored per workspace, which the profile's tenant scope cannot read. */
export function readPlan({ behind, caller }: ProfileContext): Promise<string | undefined> {
  const workspaceId = caller.workspaceId;
  return behind({ workspaceId }).transaction((tx) => findPlan(tx, workspaceId), { readOnly: true });
}
