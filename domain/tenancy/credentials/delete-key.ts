import { type Routes, routes } from '@tributary/contract';
import { findWorkspaceOf } from '@tributary/domain/tenancy/tenants';
import { answer, type Handles, type Operator, refuse } from '@tributary/operations';
import { revokeKey } from './store.ts';

/** An app can revoke only keys that it created. */
export const deleteKey: Handles<Routes['deleteKey']> = async ({ params: { id } }, { effect, caller, now }) =>
  effect(async (tx) => {
    const minted = caller.kind === 'app' ? { appId: caller.appId ?? null } : {};
    const revoked = await revokeKey(tx, caller.profileId, id, now, minted);
    return revoked ? toDeletedKey(id) : refuse('not_found', 'There is no such key.');
  });

export async function revokeKeyByOperator(operator: Operator, profileId: string, id: string): Promise<void> {
  await operator.effect(routes.deleteKey, { profileId, params: { id } }, async (tx, addToAudit) => {
    const workspaceId = await findWorkspaceOf(tx, profileId);
    const revoked = workspaceId && (await revokeKey(tx, profileId, id, operator.now));
    if (!revoked) return refuse('not_found', 'The profile has no such live key.');
    addToAudit({ log: { workspaceId } });
    return toDeletedKey(id);
  });
}

const toDeletedKey = (id: string) => answer(200, { data: { id, deleted: true as const } });
