import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { showConnection } from './show-connection.ts';
import { listConnections as listRows } from './store.ts';

export const listConnections: Handles<Routes['listConnections']> = async ({ query }, { ledger, caller }) => {
  const { channel, cursor: after, limit } = query;
  const asked = { channel, after, limit: limit + 1 };
  const rows = await ledger.transaction((tx) => listRows(tx, caller.profileId, asked), { readOnly: true });
  const shown = rows.slice(0, limit);
  return answer(200, {
    data: shown.map(showConnection),
    pagination: { has_next: rows.length > limit, cursor: shown.at(-1)?.connection.id ?? null },
  });
};
