import { answer, type Operator } from '@tributary/operations';

const moving = { id: 'moveWorkspace', audit: { action: 'workspace.moved', of: 'workspace:{data.id}' } } as const;

/** Records in the workspace's audit log, which moves with it, that the workspace moved to another server. */
export async function recordMove(
  operator: Operator,
  workspaceId: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  await operator.effect(moving, { workspaceId }, async (_tx, addToAudit) => {
    addToAudit({ log: { workspaceId }, detail: { from, to } });
    return answer(200, { data: { id: workspaceId } });
  });
}
