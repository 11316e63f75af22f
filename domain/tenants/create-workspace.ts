import type { Routes } from '@tributary/contract';
import { audit } from '@tributary/domain/accountability';
import { answer, type Handles } from '@tributary/operations';
import { enter } from '@tributary/postgres';
import { v7 as uuid } from 'uuid';

export const createWorkspace: Handles<Routes['createWorkspace']> = async (
  { body },
  { effect, caller, now, requestId },
) =>
  effect(async (tx) => {
    const id = uuid();
    await enter(tx, { workspaceId: id });
    const row = await tx
      .insertInto('workspaces')
      .values({
        id,
        name: body.name,
        is_healthcare_agency: body.is_healthcare_agency,
        provisioned_by: caller.kind === 'app' ? (caller.appId ?? null) : null,
        created_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    if (caller.userId) {
      await tx
        .insertInto('members')
        .values({ workspace_id: id, user_id: caller.userId, role: 'owner', created_at: now })
        .execute();
    }
    await audit(tx, caller, requestId, now, {
      workspaceId: id,
      action: 'workspace.created',
      target: `workspace:${id}`,
    });
    return answer(201, {
      data: {
        id,
        name: row.name,
        plan: row.plan,
        is_healthcare_agency: row.is_healthcare_agency,
        created_at: row.created_at.toISOString(),
      },
      meta: { workspace_id: id },
    });
  });
