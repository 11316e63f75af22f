import { McpScope, type Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { listConsents } from './assistant-store.ts';

export const listAssistants: Handles<Routes['listAssistants']> = async (_input, { caller, ledger }) => {
  const rows = await ledger.transaction((tx) => listConsents(tx, caller.userId));
  return answer(200, {
    data: rows.map(({ id, name, reference_id, scopes, updated_at }) => ({
      id,
      name,
      profile_id: reference_id as string,
      scopes: McpScope.options.filter((scope) => (scopes as string[]).includes(scope)),
      allowed_at: updated_at.toISOString(),
    })),
  });
};
