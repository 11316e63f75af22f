import type { Routes } from '@tributary/contract';
import { type CustomerServices, findCustomer, findMerges } from '@tributary/domain/commerce/customers';
import { answer, type Handles, refuse } from '@tributary/operations';
import { undo } from './undo.ts';

export const splitCustomer: Handles<Routes['splitCustomer'], CustomerServices> = async (
  { params, query, body },
  context,
) => {
  const { profileId } = context.caller;
  const ids = [...new Set(body.merges.map(({ merge_id }) => merge_id))];
  const done = await undo(query.dry_run === 'true', body.reason, context, async (tx) => {
    const merges = await findMerges(tx, profileId, ids);
    if (merges.length < ids.length) refuse('not_found', 'There is no such merge in this profile.');
    const customerId = await findCustomer(tx, profileId, params.id);
    if (!customerId) refuse('customer_not_found', 'There is no such customer in this profile.');
    for (const { loserId, undoneAt } of merges)
      if (undoneAt === null && (await findCustomer(tx, profileId, loserId)) !== customerId)
        refuse('invalid_state', 'A merge of the list is not of this person.', {
          fields: { reason: 'merge_of_another' },
        });
    return merges;
  });
  return answer(200, { data: done });
};
