import { isLiveEvent, type Route, type Routes, routes } from '@tributary/contract';
import { reachWorkspace } from '@tributary/domain/tenancy/tenants';
import { answer, type Handles, refuse } from '@tributary/operations';
import { uuidPattern } from '@tributary/vocabulary';
import { listAccesses } from './store.ts';

export const readPiiAccessLog: Handles<Routes['readPiiAccessLog']> = async ({ params, query }, context) => {
  const { workspaceId } = params;
  const ledger = await reachWorkspace(context, workspaceId);
  const before = query.cursor === undefined ? undefined : readCursor(query.cursor);
  const rows = await ledger.transaction((tx) => listAccesses(tx, workspaceId, before, query.limit + 1));
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  return answer(200, {
    data: page.map((row) => ({
      at: row.at.toISOString(),
      actor: { kind: row.actor_kind, id: row.actor_id },
      profile_id: row.profile_id,
      operation: row.operation,
      route: describeRoute(row.operation),
      people: row.people,
      result: row.result as 'served' | 'refused',
      request_id: row.request_id,
    })),
    pagination: { has_next: rows.length > query.limit, cursor: last ? `${last.at.toISOString()}|${last.id}` : null },
    meta: { workspace_id: workspaceId },
  });
};

function describeRoute(operation: string): string {
  const route = (routes as Readonly<Record<string, Route>>)[operation];
  if (isLiveEvent(operation)) return `webhook ${operation}`;
  return route ? `${route.method} ${route.path}` : '';
}

const cursorPattern = new RegExp(`^(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z)\\|(${uuidPattern})$`);

function readCursor(text: string): { at: Date; id: string } {
  const [, at = '', id = ''] = cursorPattern.exec(text) ?? [];
  const instant = new Date(at);
  if (Number.isNaN(instant.getTime()))
    refuse('invalid_parameter', 'The query parameter "cursor" is not one that this route gave out.', {
      fields: { field: 'cursor' },
    });
  return { at: instant, id };
}
