import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { showReconciliation } from './show.ts';
import { listNewest, type Place } from './store.ts';

export const listReconciliations: Handles<Routes['listReconciliations']> = async ({ query }, { caller, ledger }) => {
  const { limit, cursor } = query;
  const rows = await ledger.transaction((tx) => listNewest(tx, caller.profileId, placeOf(cursor), limit + 1), {
    readOnly: true,
  });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return answer(200, {
    data: shown.map(showReconciliation),
    pagination: {
      has_next: rows.length > limit,
      cursor: last ? `${last.requestedAt.toISOString()}|${last.id}` : null,
    },
  });
};

function placeOf(cursor: string | undefined): Place | undefined {
  const [at, id] = cursor?.split('|') ?? [];
  return at !== undefined && id !== undefined ? { at: new Date(at), id } : undefined;
}
