import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import type { ErasureServices } from './erase-customer.ts';
import { toReceiptResponse } from './receipt.ts';
import { findErasures } from './store.ts';

export const readErasure: Handles<Routes['readErasure'], Pick<ErasureServices, 'vault'>> = async (
  { params },
  context,
) => {
  const { ledger, caller } = context;
  const profileId = caller.profileId;
  const [erasure] = await ledger.transaction((tx) => findErasures(tx, profileId, [params.erasure_id]), {
    readOnly: true,
  });
  if (!erasure) return refuse('erasure_not_found', 'There is no such receipt in this profile.');
  return answer(200, { data: toReceiptResponse(profileId, erasure, context) });
};
