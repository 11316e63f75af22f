import type { Routes } from '@tributary/contract';
import { audit } from '@tributary/domain/accountability';
import { answer, type Handles, refuse } from '@tributary/operations';

export const deleteKey: Handles<Routes['deleteKey']> = async ({ params }, { effect, caller, now, requestId }) =>
  effect(async (tx) => {
    let keys = tx
      .updateTable('api_keys')
      .set({ revoked_at: now })
      .where('profile_id', '=', caller.profileId)
      .where('id', '=', params.id)
      .where('revoked_at', 'is', null);
    if (caller.kind === 'app') keys = keys.where('app_id', '=', caller.appId ?? null);
    const revoked = await keys.returning('id').executeTakeFirst();
    if (!revoked) return refuse('not_found', 'There is no such key.');
    await audit(tx, caller, requestId, now, {
      workspaceId: caller.workspaceId,
      action: 'key.revoked',
      target: `api_key:${revoked.id}`,
    });
    return answer(200, { data: { id: revoked.id, deleted: true as const } });
  });
