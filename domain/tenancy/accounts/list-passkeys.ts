import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { listPasskeyRows } from './store.ts';

export const listPasskeys: Handles<Routes['listPasskeys']> = async (_input, { caller, ledger }) => {
  const rows = await ledger.transaction((tx) => listPasskeyRows(tx, caller.userId));
  return answer(200, {
    data: rows.map(({ id, name, created_at }) => ({
      id,
      name: name ?? 'Passkey',
      created_at: created_at.toISOString(),
    })),
  });
};
