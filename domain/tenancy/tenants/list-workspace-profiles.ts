import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { toWorkspaceProfile } from './profile.ts';
import { listUndeletedProfiles } from './store.ts';

export const listWorkspaceProfiles: Handles<Routes['listWorkspaceProfiles']> = async (
  { params, query },
  { ledger },
) => {
  const rows = await ledger.transaction(
    (tx) => listUndeletedProfiles(tx, params.workspaceId, query.cursor, query.limit + 1),
    { readOnly: true },
  );
  const page = rows.slice(0, query.limit);
  return answer(200, {
    data: page.map(toWorkspaceProfile),
    pagination: { has_next: rows.length > query.limit, cursor: page.at(-1)?.id ?? null },
  });
};
