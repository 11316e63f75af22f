import type { Routes } from '@tributary/contract';
import { answer, type Context, type Handles } from '@tributary/operations';
import { findPlan, findSettings } from './store.ts';
import { showSettings } from './tracking-settings.ts';

export const readTrackingSettings: Handles<Routes['readTrackingSettings']> = async (_input, context) => {
  const { ledger, caller } = context;
  const row = await ledger.transaction((tx) => findSettings(tx, caller.profileId as string), { readOnly: true });
  return answer(200, { data: showSettings(row, await planOf(context)) });
};

/** The plan is the workspace's, and not visible from inside a profile. */
export function planOf({ behind, caller }: Context): Promise<string | undefined> {
  const workspaceId = caller.workspaceId as string;
  return behind({ workspaceId }).transaction((tx) => findPlan(tx, workspaceId), { readOnly: true });
}
