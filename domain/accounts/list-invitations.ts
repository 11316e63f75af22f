import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { showInvitation } from './invitation.ts';
import { listInvitationsBefore } from './invitation-store.ts';

export const listInvitations: Handles<Routes['listInvitations']> = async ({ params, query }, { ledger, now }) => {
  const rows = await ledger.transaction((tx) =>
    listInvitationsBefore(tx, params.workspaceId, query.cursor, query.limit + 1),
  );
  const shown = rows.slice(0, query.limit);
  return answer(200, {
    data: shown.map((row) => showInvitation(row, now)),
    pagination: { has_next: rows.length > query.limit, cursor: shown.at(-1)?.id ?? null },
  });
};
