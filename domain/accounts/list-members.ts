import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { membersOf, showMember } from './member.ts';

export const listMembers: Handles<Routes['listMembers']> = async ({ params, query }, { ledger }) => {
  const rows = await ledger.transaction((tx) => {
    let members = membersOf(tx, params.workspaceId)
      .orderBy('members.user_id')
      .limit(query.limit + 1);
    if (query.cursor) members = members.where('members.user_id', '>', query.cursor);
    return members.execute();
  });
  const shown = rows.slice(0, query.limit);
  return answer(200, {
    data: shown.map(showMember),
    pagination: { has_next: rows.length > query.limit, cursor: shown.at(-1)?.user_id ?? null },
  });
};
