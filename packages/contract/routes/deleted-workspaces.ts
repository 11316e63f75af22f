import { z } from 'zod';
import { accountData, IsoTimestamp, Uuid } from '../primitives.ts';
import { route } from '../route.ts';
import { ofAccount } from './accounts.ts';

/** Workspaces that owners deleted and can still restore. */

const DeletedWorkspace = z.strictObject({
  id: Uuid,
  name: z.string(),
  deleted_at: IsoTimestamp,
  restorable_until: IsoTimestamp,
});

const listDeletedWorkspaces = route({
  id: 'listDeletedWorkspaces',
  method: 'GET',
  path: '/api/v1/account/deleted-workspaces',
  summary: 'The deleted workspaces that the signed-in owner can restore',
  chapter: 'Workspaces and profiles',
  access: ofAccount,
  answers: { 200: { schema: accountData(z.array(DeletedWorkspace)) } },
});

const restoreWorkspace = route({
  id: 'restoreWorkspace',
  method: 'POST',
  path: '/api/v1/account/deleted-workspaces/{id}/restore',
  summary: 'Restore a deleted workspace',
  description:
    'Its members, profiles, keys and connections work again. Profiles that were archived before stay archived. Visits of the time in between are lost; a sync reads what providers recorded.',
  chapter: 'Workspaces and profiles',
  audit: { action: 'workspace.restored', of: 'workspace:{params.id}' },
  access: ofAccount,
  params: z.object({ id: Uuid }),
  refusedAs: { id: 'not_found' },
  ids: { id: 'workspace' },
  answers: { 200: { schema: accountData(z.strictObject({ id: Uuid, name: z.string() })) } },
});

export const deletedWorkspaceRoutes = { listDeletedWorkspaces, restoreWorkspace };
