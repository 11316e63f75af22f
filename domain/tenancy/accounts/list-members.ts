import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { toMemberResponse } from './member.ts';
import { listMembersAfter } from './store.ts';

export const listMembers: Handles<Routes['listMembers']> = async ({ params, query }, { ledger }) => {
  const rows = await ledger.transaction((tx) =>
    listMembersAfter(tx, params.workspaceId, query.cursor, query.limit + 1),
  );
  const page = rows.slice(0, query.limit);
  return answer(200, {
    data: page.map(toMemberResponse),
    pagination: { has_next: rows.length > query.limit, cursor: page.at(-1)?.user_id ?? null },
  });
};
