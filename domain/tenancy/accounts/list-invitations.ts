import type { Routes } from '@tributary/contract';
import { findUserNames } from '@tributary/domain/tenancy/credentials';
import { answer, type Handles } from '@tributary/operations';
import { toInvitationResponse } from './invitation.ts';
import { listInvitationsBefore } from './invitation-store.ts';

export const listInvitations: Handles<Routes['listInvitations']> = async ({ params, query }, { ledger, now }) => {
  const { rows, names } = await ledger.transaction(async (tx) => {
    const rows = await listInvitationsBefore(tx, params.workspaceId, query.cursor, query.limit + 1);
    const inviters = rows.map(({ invited_by }) => invited_by);
    return { rows, names: await findUserNames(tx, inviters) };
  });
  const page = rows.slice(0, query.limit);
  return answer(200, {
    data: page.map((row) => toInvitationResponse(row, names, now)),
    pagination: { has_next: rows.length > query.limit, cursor: page.at(-1)?.id ?? null },
  });
};
