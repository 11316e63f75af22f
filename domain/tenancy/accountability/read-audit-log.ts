import type { Routes } from '@tributary/contract';
import { reachWorkspace } from '@tributary/domain/tenancy/tenants';
import { answer, type Handles } from '@tributary/operations';
import type { AuditResult } from '@tributary/vocabulary';
import { listEntries } from './store.ts';

export const readAuditLog: Handles<Routes['readAuditLog']> = async ({ params, query }, context) => {
  const { workspaceId } = params;
  const ledger = await reachWorkspace(context, workspaceId);
  const rows = await ledger.transaction((tx) => listEntries(tx, workspaceId, query.cursor, query.limit + 1), {
    readOnly: true,
  });
  const page = rows.slice(0, query.limit);
  return answer(200, {
    data: page.map((row) => ({
      sequence: Number(row.sequence),
      at: row.at.toISOString(),
      actor: { kind: row.actor_kind, id: row.actor_id },
      action: row.action,
      target: row.target,
      result: row.result as AuditResult,
      request_id: row.request_id,
    })),
    pagination: { has_next: rows.length > query.limit, cursor: page.at(-1)?.sequence ?? null },
    meta: { workspace_id: workspaceId },
  });
};
