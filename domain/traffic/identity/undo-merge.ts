import type { Routes } from '@tributary/contract';
import { type CustomerServices, findMerges } from '@tributary/domain/commerce/customers';
import { answer, type Handles, refuse } from '@tributary/operations';
import { undo } from './undo.ts';

export const undoMerge: Handles<Routes['undoMerge'], CustomerServices> = async ({ params, query, body }, context) => {
  const { profileId } = context.caller;
  const done = await undo(query.dry_run === 'true', body.reason, context, async (tx) => {
    const merges = await findMerges(tx, profileId, [params.merge_id]);
    return merges.length > 0 ? merges : refuse('not_found', 'There is no such merge in this profile.');
  });
  return answer(200, { data: done });
};
