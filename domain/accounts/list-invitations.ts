import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { showInvitation } from './invitation.ts';

export const listInvitations: Handles<Routes['listInvitations']> = async ({ params, query }, { ledger, now }) => {
  const rows = await ledger.transaction((tx) => {
    let invitations = tx
      .selectFrom('invitations')
      .selectAll()
      .where('workspace_id', '=', params.workspaceId)
      .orderBy('id', 'desc')
      .limit(query.limit + 1);
    if (query.cursor) invitations = invitations.where('id', '<', query.cursor);
    return invitations.execute();
  });
  const shown = rows.slice(0, query.limit);
  return answer(200, {
    data: shown.map((row) => showInvitation(row, now)),
    pagination: { has_next: rows.length > query.limit, cursor: shown.at(-1)?.id ?? null },
  });
};
