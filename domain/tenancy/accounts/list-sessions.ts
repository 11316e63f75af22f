import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { listSessionRows } from './store.ts';

export const listSessions: Handles<Routes['listSessions']> = async (_input, { caller, ledger, now }) => {
  const rows = await ledger.transaction((tx) => listSessionRows(tx, caller.userId, now));
  return answer(200, {
    data: rows.map(({ id, created_at, seen_at, expires_at }) => ({
      id,
      created_at: created_at.toISOString(),
      last_used_at: seen_at?.toISOString() ?? null,
      expires_at: expires_at.toISOString(),
      is_current: id === caller.credentialId,
    })),
  });
};
