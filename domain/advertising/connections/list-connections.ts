import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { toConnectionResponse } from './connection-response.ts';
import { listConnections as listRows } from './store.ts';

export const listConnections: Handles<Routes['listConnections']> = async ({ query }, { ledger, caller }) => {
  const { channel, cursor: after, limit } = query;
  const params = { channel, after, limit: limit + 1 };
  const rows = await ledger.transaction((tx) => listRows(tx, caller.profileId, params), { readOnly: true });
  const page = rows.slice(0, limit);
  return answer(200, {
    data: page.map(toConnectionResponse),
    pagination: { has_next: rows.length > limit, cursor: page.at(-1)?.connection.id ?? null },
  });
};
