import { type Input, links, type Routes, routes } from '@tributary/contract';
import { answer, type Handles, type Operator, type RouteInput, readBody, refuse } from '@tributary/operations';
import { switchScope, type Tx } from '@tributary/postgres';
import { homeShard, type Plan } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { insertWorkspace } from './store.ts';

/** Makes a user the first owner of a workspace. Injected because membership belongs to the accounts module. */
export type AddOwner = (tx: Tx, workspaceId: string, userId: string, now: Date) => Promise<void>;

/** Invites the owner that an app names; resolves to the invitation token. */
export type InviteOwner = (
  tx: Tx,
  workspaceId: string,
  owner: { readonly email: string; readonly name?: string | undefined },
  now: Date,
) => Promise<string>;

interface WorkspaceServices {
  readonly baseUrl: string;
  readonly addOwner: AddOwner;
  readonly inviteOwner: InviteOwner;
}

export const createWorkspace: Handles<Routes['createWorkspace'], WorkspaceServices> = async (
  { body },
  { baseUrl, effect, caller, now, addOwner, inviteOwner, addToAudit },
) => {
  const provisionedBy = caller.kind === 'app' ? caller.appId : undefined;
  const owner = readOwner(body, provisionedBy !== undefined);
  return effect(async (tx) => {
    const created = await openWorkspace(tx, { ...body, provisionedBy, ownerId: owner?.id }, now);
    const workspaceId = created.body.data.id;
    if (caller.userId) await addOwner(tx, workspaceId, caller.userId, now);
    const token = owner && (await inviteOwner(tx, workspaceId, owner, now));
    addToAudit({ log: { workspaceId }, ...(owner && { detail: { owner_id: owner.id } }) });
    const data = {
      ...created.body.data,
      owner_id: owner?.id ?? caller.userId ?? null,
      ...(token && { owner_invitation_url: links.invitation(baseUrl, token) }),
    };
    return answer(201, { data, meta: created.body.meta });
  });
};

/** Reads the owner that an app names and assigns the id that the owner's account will have. */
function readOwner({ owner_email: email, owner_name: name }: Body, isApp: boolean) {
  const field = email === undefined ? 'owner_name' : 'owner_email';
  if (email === undefined && name === undefined) return undefined;
  if (!isApp)
    refuse('validation_error', `"${field}" is for apps: a member who creates a workspace owns it.`, {
      fields: { field },
    });
  if (email === undefined)
    return refuse('validation_error', '"owner_email" is required with "owner_name".', {
      fields: { field: 'owner_email' },
    });
  return { id: uuid(), email, name };
}

type Body = Input<Routes['createWorkspace']>['body'];

export async function createWorkspaceByOperator(
  operator: Operator,
  { plan, ...sent }: RouteInput<Routes['createWorkspace']> & { readonly plan: Plan },
  shard: string = homeShard,
): Promise<string> {
  const body = readBody(routes.createWorkspace, sent);
  const created = await operator.effect(routes.createWorkspace, { shard }, async (tx, addToAudit) => {
    const { data, meta } = (await openWorkspace(tx, { ...body, plan }, operator.now)).body;
    addToAudit({ log: { workspaceId: data.id } });
    return answer(201, { data: { ...data, owner_id: null }, meta });
  });
  return created.body.data.id;
}

interface NewWorkspace extends Pick<Body, 'name' | 'is_healthcare_agency'> {
  readonly plan?: Plan;
  readonly provisionedBy?: string | undefined;
  readonly ownerId?: string | undefined;
}

/** Leaves the transaction scoped to the new workspace. */
export async function openWorkspace(
  tx: Tx,
  { name, is_healthcare_agency, plan, provisionedBy, ownerId }: NewWorkspace,
  now: Date,
) {
  const id = uuid();
  await switchScope(tx, { workspaceId: id });
  const row = await insertWorkspace(tx, {
    id,
    name,
    is_healthcare_agency,
    ...(plan && { plan }),
    provisioned_by: provisionedBy ?? null,
    owner_id: ownerId ?? null,
    created_at: now,
  });
  return answer(201, {
    data: { id, name, plan: row.plan, is_healthcare_agency, created_at: row.created_at.toISOString() },
    meta: { workspace_id: id },
  });
}
