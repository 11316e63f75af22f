import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { listMonths } from './closings-store.ts';
import { toClosingResponse } from './create-closing.ts';

export const listClosings: Handles<Routes['listClosings']> = async (
  { query: { limit, cursor } },
  { caller, ledger },
) => {
  const rows = await ledger.transaction((tx) => listMonths(tx, caller.profileId, cursor, limit + 1), {
    readOnly: true,
  });
  const shown = rows.slice(0, limit);
  return answer(200, {
    data: shown.map(toClosingResponse),
    pagination: { has_next: rows.length > limit, cursor: shown.at(-1)?.month ?? null },
  });
};
