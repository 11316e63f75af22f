import { answer, type Operator } from '@tributary/operations';

const moving = { id: 'moveWorkspace', audit: { action: 'workspace.moved', of: 'workspace:{data.id}' } } as const;

/** That it was taken to another server, in its own log, which has gone along. */
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
