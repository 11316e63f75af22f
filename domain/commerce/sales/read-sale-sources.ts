import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import type { SaleServices } from './services.ts';
import { toSourcesResponse } from './sources-response.ts';

/** Returns the sources of payments, their overlaps and how they are counted. */
export const readSaleSources: Handles<Routes['readSaleSources'], SaleServices> = async (_input, context) =>
  context.ledger.transaction(
    async (tx) => answer(200, { data: await toSourcesResponse(tx, context.caller.profileId, context) }),
    { readOnly: true },
  );
