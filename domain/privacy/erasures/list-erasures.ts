import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import type { ErasureServices } from './erase-customer.ts';
import { toReceiptResponse } from './receipt.ts';
import { listReceipts } from './store.ts';

export const listErasures: Handles<Routes['listErasures'], Pick<ErasureServices, 'vault'>> = async (
  { query },
  context,
) => {
  const { profileId } = context.caller;
  const found = await context.ledger.transaction((tx) => listReceipts(tx, profileId, query.cursor, query.limit + 1), {
    readOnly: true,
  });
  const shown = found.slice(0, query.limit);
  return answer(200, {
    data: shown.map((erasure) => toReceiptResponse(profileId, erasure, context)),
    pagination: { has_next: found.length > query.limit, cursor: shown.at(-1)?.id ?? null },
  });
};
