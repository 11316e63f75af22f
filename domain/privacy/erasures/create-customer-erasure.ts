import type { Routes } from '@tributary/contract';
import { retryUndo } from '@tributary/domain/commerce/customers';
import { hasProfile } from '@tributary/domain/tenancy/tenants';
import { answer, type Handles, refuse } from '@tributary/operations';
import { switchScope } from '@tributary/postgres';
import type { ErasureServices } from './erase-customer.ts';
import { requestErasure } from './request-erasure.ts';

export const createCustomerErasure: Handles<Routes['createCustomerErasure'], ErasureServices> = (
  { params, body },
  context,
) => {
  const { workspaceId } = params;
  const { profile_id: profileId, ...request } = body;
  // Separating merged customers is retried when another transaction changed them meanwhile.
  return retryUndo(() =>
    context.effect(async (tx) => {
      if (!(await hasProfile(tx, workspaceId, profileId)))
        return refuse('not_found', 'There is no such profile in this workspace.');
      await switchScope(tx, { profileId });
      const { status, receipt } = await requestErasure(tx, profileId, request, context);
      return answer(status, { data: receipt });
    }),
  );
};
