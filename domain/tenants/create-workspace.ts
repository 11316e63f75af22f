import { type Input, type Routes, routes } from '@tributary/contract';
import { answer, type Handles, type Operator, readBody, type Sent } from '@tributary/operations';
import { enter, type Tx } from '@tributary/postgres';
import { homeShard, type Plan } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { insertWorkspace } from './store.ts';

/** Makes a person the first owner of a workspace; who belongs to it is no business of this room. */
export type AddOwner = (tx: Tx, workspaceId: string, userId: string, now: Date) => Promise<void>;

export const createWorkspace: Handles<Routes['createWorkspace'], { addOwner: AddOwner }> = async (
  { body },
  { effect, caller, now, addOwner, addToAudit },
) =>
  effect(async (tx) => {
    const provisionedBy = caller.kind === 'app' ? caller.appId : undefined;
    const made = await openWorkspace(tx, { ...body, provisionedBy }, now);
    const workspaceId = made.body.data.id;
    if (caller.userId) await addOwner(tx, workspaceId, caller.userId, now);
    addToAudit({ log: { workspaceId } });
    return made;
  });

type Body = Input<Routes['createWorkspace']>['body'];

export async function createWorkspaceByOperator(
  operator: Operator,
  { plan, ...sent }: Sent<Routes['createWorkspace']> & { readonly plan: Plan },
  shard: string = homeShard,
): Promise<string> {
  const body = readBody(routes.createWorkspace, sent);
  const made = await operator.effect(routes.createWorkspace, { shard }, async (tx, addToAudit) => {
    const opened = await openWorkspace(tx, { ...body, plan }, operator.now);
    addToAudit({ log: { workspaceId: opened.body.data.id } });
    return opened;
  });
  return made.body.data.id;
}

/** The transaction stands behind the new workspace's wall afterwards. */
export async function openWorkspace(
  tx: Tx,
  { name, is_healthcare_agency, plan, provisionedBy }: Body & { plan?: Plan; provisionedBy?: string | undefined },
  now: Date,
) {
  const id = uuid();
  await enter(tx, { workspaceId: id });
  const row = await insertWorkspace(tx, {
    id,
    name,
    is_healthcare_agency,
    ...(plan && { plan }),
    provisioned_by: provisionedBy ?? null,
    created_at: now,
  });
  return answer(201, {
    data: { id, name, plan: row.plan, is_healthcare_agency, created_at: row.created_at.toISOString() },
    meta: { workspace_id: id },
  });
}
