import { type Input, type Routes, routes } from '@tributary/contract';
import { answer, type Handles, type Operator, type RouteInput, readBody, refuse } from '@tributary/operations';
import { switchScope, type Tx } from '@tributary/postgres';
import { isPlan } from '@tributary/rules';
import { plans } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { refuseUnknownCurrency, toProfileResponse } from './profile.ts';
import { reachWorkspace } from './reach.ts';
import { countActiveProfiles, insertProfile, lockWorkspace, type ProfileRow, type WorkspaceRow } from './store.ts';

type Body = Input<Routes['createProfile']>['body'];

export const createProfile: Handles<Routes['createProfile']> = async ({ body }, context) => {
  const { effect, caller, now, addToAudit } = context;
  const workspaceId = body.workspace_id;
  await reachWorkspace(context, workspaceId);
  return effect(async (tx) => {
    await switchScope(tx, { workspaceId });
    const { profile, workspace } = await openProfile(tx, body, caller.kind === 'app' ? caller.appId : undefined, now);
    addToAudit({ log: { workspaceId }, detail: { privacy_mode: profile.privacy_mode } });
    return toResponse(profile, workspace);
  });
};

export async function createProfileByOperator(
  operator: Operator,
  sent: RouteInput<Routes['createProfile']>,
): Promise<string> {
  const body = readBody(routes.createProfile, sent);
  const workspaceId = body.workspace_id;
  const created = await operator.effect(routes.createProfile, { workspaceId }, async (tx, addToAudit) => {
    const { profile, workspace } = await openProfile(tx, body, undefined, operator.now);
    addToAudit({ detail: { privacy_mode: profile.privacy_mode } });
    return toResponse(profile, workspace);
  });
  return created.body.data.id;
}

const toResponse = (profile: ProfileRow, { is_healthcare_agency }: WorkspaceRow) =>
  answer(201, { data: toProfileResponse(profile, is_healthcare_agency), meta: { profile_id: profile.id } });

/** Requires a transaction scoped to the workspace. A profile created by an app stays disabled until that app enables it. */
export async function openProfile(
  tx: Tx,
  body: Body,
  appId: string | undefined,
  now: Date,
): Promise<{ profile: ProfileRow; workspace: WorkspaceRow }> {
  refuseUnknownCurrency(body.reporting_currency);
  const workspace = await lockWorkspace(tx, body.workspace_id);
  if (!workspace) return refuse('not_found', 'There is no such workspace.');
  await refuseBeyondPlan(tx, workspace);
  const profile = await insertProfile(tx, {
    id: uuid(),
    workspace_id: workspace.id,
    name: body.name,
    privacy_mode: body.privacy_mode,
    time_zone: body.time_zone,
    reporting_currency: body.reporting_currency,
    governing_app_id: appId ?? null,
    is_attribution_enabled: appId === undefined,
    is_test: body.is_test,
    created_at: now,
  });
  return { profile, workspace };
}

/** Refuses when the plan has no free profile slot. The caller must hold the workspace lock, or two requests could both use the last slot. */
export async function refuseBeyondPlan(tx: Tx, workspace: WorkspaceRow): Promise<void> {
  const plan = isPlan(workspace.plan) ? plans[workspace.plan] : plans.free;
  if ((await countActiveProfiles(tx, workspace.id)) < plan.activeProfiles) return;
  refuse(
    'profile_limit_reached',
    `The plan "${workspace.plan}" includes ${plan.activeProfiles} active profiles, and all are in use.`,
    { fields: { upgrade_required: true, upgrade: { plan: plan.next } } },
  );
}
