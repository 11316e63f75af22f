import { type Input, links, type Routes, routes } from '@tributary/contract';
import { answer, type Handles, type Operator, readBody, refuse, type Sent } from '@tributary/operations';
import { enter, type Tx } from '@tributary/postgres';
import { homeShard, type Plan } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { insertWorkspace } from './store.ts';

/** Makes a person the first owner of a workspace; who belongs to it is no business of this room. */
export type AddOwner = (tx: Tx, workspaceId: string, userId: string, now: Date) => Promise<void>;

/** Invites the owner that an app names; resolves to the token of the link. */
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
    const made = await openWorkspace(tx, { ...body, provisionedBy, ownerId: owner?.id }, now);
    const workspaceId = made.body.data.id;
    if (caller.userId) await addOwner(tx, workspaceId, caller.userId, now);
    const token = owner && (await inviteOwner(tx, workspaceId, owner, now));
    addToAudit({ log: { workspaceId }, ...(owner && { detail: { owner_id: owner.id } }) });
    const data = {
      ...made.body.data,
      owner_id: owner?.id ?? caller.userId ?? null,
      ...(token && { owner_invitation_url: links.invitation(baseUrl, token) }),
    };
    return answer(201, { data, meta: made.body.meta });
  });
};

/** The owner that an app names, with the id that the owner's account will have. */
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
  { plan, ...sent }: Sent<Routes['createWorkspace']> & { readonly plan: Plan },
  shard: string = homeShard,
): Promise<string> {
  const body = readBody(routes.createWorkspace, sent);
  const made = await operator.effect(routes.createWorkspace, { shard }, async (tx, addToAudit) => {
    const { data, meta } = (await openWorkspace(tx, { ...body, plan }, operator.now)).body;
    addToAudit({ log: { workspaceId: data.id } });
    return answer(201, { data: { ...data, owner_id: null }, meta });
  });
  return made.body.data.id;
}

interface Opened extends Pick<Body, 'name' | 'is_healthcare_agency'> {
  readonly plan?: Plan;
  readonly provisionedBy?: string | undefined;
  readonly ownerId?: string | undefined;
}

/** The transaction stands behind the new workspace's wall afterwards. */
export async function openWorkspace(
  tx: Tx,
  { name, is_healthcare_agency, plan, provisionedBy, ownerId }: Opened,
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
    owner_id: ownerId ?? null,
    created_at: now,
  });
  return answer(201, {
    data: { id, name, plan: row.plan, is_healthcare_agency, created_at: row.created_at.toISOString() },
    meta: { workspace_id: id },
  });
}
