import type { Routes } from '@tributary/contract';
import { audit } from '@tributary/domain/accountability';
import { answer, type Handles, refuse } from '@tributary/operations';
import { enter } from '@tributary/postgres';
import { isPlan } from '@tributary/rules';
import { plans } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { showProfile } from './profile.ts';
import { reachWorkspace } from './reach.ts';

export const createProfile: Handles<Routes['createProfile']> = async ({ body }, context) => {
  const { effect, caller, now, requestId } = context;
  const workspaceId = body.workspace_id;
  await reachWorkspace(context, workspaceId);
  return effect(async (tx) => {
    await enter(tx, { workspaceId });
    // Locked, so that two requests at once do not both take the plan's last place.
    const workspace = await tx
      .selectFrom('workspaces')
      .selectAll()
      .where('id', '=', workspaceId)
      // Not FOR UPDATE: whoever writes an audit entry holds a reference to the workspace, and both would wait for each other.
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow();
    const plan = isPlan(workspace.plan) ? plans[workspace.plan] : plans.free;
    const { active } = await tx
      .selectFrom('profiles')
      .select(({ fn }) => fn.countAll<string>().as('active'))
      .where('workspace_id', '=', workspaceId)
      .where('archived_at', 'is', null)
      .executeTakeFirstOrThrow();
    if (Number(active) >= plan.activeProfiles) {
      refuse(
        'profile_limit_reached',
        `The plan "${workspace.plan}" includes ${plan.activeProfiles} active profiles, and all are in use.`,
        {
          fields: { upgrade_required: true, upgrade: { plan: plan.next } },
        },
      );
    }
    const isApp = caller.kind === 'app';
    const row = await tx
      .insertInto('profiles')
      .values({
        id: uuid(),
        workspace_id: workspaceId,
        name: body.name,
        privacy_mode: body.privacy_mode,
        time_zone: body.time_zone,
        reporting_currency: body.reporting_currency,
        governing_app_id: isApp ? (caller.appId ?? null) : null,
        is_attribution_enabled: !isApp,
        created_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await audit(tx, caller, requestId, now, {
      workspaceId,
      action: 'profile.created',
      target: `profile:${row.id}`,
      detail: { privacy_mode: row.privacy_mode },
    });
    return answer(201, { data: showProfile(row, workspace.is_healthcare_agency), meta: { profile_id: row.id } });
  });
};
