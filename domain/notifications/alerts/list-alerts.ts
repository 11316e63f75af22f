import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { listOpen } from './store.ts';

export const listAlerts: Handles<Routes['listAlerts']> = async (_input, { caller, ledger }) => {
  const open = await ledger.transaction((tx) => listOpen(tx, caller.profileId), { readOnly: true });
  return answer(200, {
    data: open.map(({ id, kind, since, openedAt }) => ({
      id,
      kind,
      since: since.toISOString(),
      opened_at: openedAt.toISOString(),
    })),
  });
};
