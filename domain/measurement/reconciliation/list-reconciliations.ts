import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { toRunResponse } from './show.ts';
import { listNewest, type Position } from './store.ts';

export const listReconciliations: Handles<Routes['listReconciliations']> = async ({ query }, { caller, ledger }) => {
  const { limit, cursor } = query;
  const rows = await ledger.transaction((tx) => listNewest(tx, caller.profileId, parseCursor(cursor), limit + 1), {
    readOnly: true,
  });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return answer(200, {
    data: shown.map(toRunResponse),
    pagination: {
      has_next: rows.length > limit,
      cursor: last ? `${last.requestedAt.toISOString()}|${last.id}` : null,
    },
  });
};

function parseCursor(cursor: string | undefined): Position | undefined {
  const [at, id] = cursor?.split('|') ?? [];
  return at !== undefined && id !== undefined ? { at: new Date(at), id } : undefined;
}
