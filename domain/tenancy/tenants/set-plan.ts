import { answer, type Operator, refuse } from '@tributary/operations';
import type { Plan } from '@tributary/vocabulary';
import { savePlan } from './store.ts';

const act = { id: 'setPlan', audit: { action: 'workspace.plan_changed', of: 'workspace:{params.id}' } } as const;

/** Plans are set by the operator of the installation only, so there is no route. */
export async function setPlanByOperator(operator: Operator, workspaceId: string, plan: Plan): Promise<void> {
  await operator.effect(act, { workspaceId, params: { id: workspaceId } }, async (tx, addToAudit) => {
    if (!(await savePlan(tx, workspaceId, plan))) return refuse('not_found', 'There is no such workspace.');
    addToAudit({ detail: { plan } });
    return answer(200, { data: { plan } });
  });
}
