import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { toActionResponse } from './action-response.ts';
import { listActions } from './list-store.ts';

export const listAdActions: Handles<Routes['listAdActions']> = async ({ query }, { caller, ledger }) => {
  const { kind, state, external_id: externalId, limit, cursor: before } = query;
  const filter = { kinds: kind && [kind], state, externalId, before, limit: limit + 1 };
  const found = await ledger.transaction((tx) => listActions(tx, caller.profileId, filter), { readOnly: true });
  const listed = found.slice(0, limit);
  return answer(200, {
    data: listed.map(toActionResponse),
    pagination: { has_next: found.length > limit, cursor: listed.at(-1)?.action.id ?? null },
  });
};
