import type { Routes } from '@tributary/contract';
import { retryUndo } from '@tributary/domain/commerce/customers';
import { answer, type Handles } from '@tributary/operations';
import type { ErasureServices } from './erase-customer.ts';
import { requestErasure } from './request-erasure.ts';

export const createErasure: Handles<Routes['createErasure'], ErasureServices> = ({ body }, context) => {
  const { caller, effect } = context;
  // Separating merged customers is retried when another transaction changed them meanwhile.
  return retryUndo(() =>
    effect(async (tx) => {
      const { status, receipt } = await requestErasure(tx, caller.profileId, body, context);
      return answer(status, { data: receipt });
    }),
  );
};
