import type { Routes } from '@tributary/contract';
import { listSaleSources, rescanSources } from '@tributary/domain/commerce/outcomes';
import { answer, type Handles, refuse } from '@tributary/operations';
import { findSmaller, saveNever } from './overlaps.ts';
import { toOverlapResponses } from './sources-response.ts';

/**
 * Stores whether two sources never report the same sale. The queue then settles the payments of the smaller source
 * again.
 */
export const updateSaleOverlap: Handles<Routes['updateSaleOverlap']> = async ({ params, body }, context) => {
  const { caller, effect, addToAudit } = context;
  const { profileId } = caller;
  const [first, second] = [params.source, params.other].sort() as [string, string];
  return effect(async (tx) => {
    const sources = (await listSaleSources(tx, profileId)).map(({ source }) => source);
    if (first === second || !sources.includes(first) || !sources.includes(second))
      refuse('not_found', 'There are no such two sources in this profile.');
    const isChange = await saveNever(tx, profileId, first, second, body.never_same_sale);
    if (isChange) {
      await rescanSources(tx, profileId, [await findSmaller(tx, profileId, first, second)], 'counted');
      addToAudit({ detail: { other: params.other, never_same_sale: body.never_same_sale } });
    }
    const overlaps = await toOverlapResponses(tx, profileId);
    const overlap =
      overlaps.find(({ sources: [one, other] }) => one === first && other === second) ??
      refuse('not_found', 'There are no such two sources in this profile.');
    const path = `/api/v1/sale-sources/${params.source}/overlaps/${params.other}`;
    const undo = { method: 'PUT', path, body: { never_same_sale: !body.never_same_sale } };
    return answer(200, {
      data: { outcome: isChange ? 'applied' : 'no_change', overlap, undo: isChange ? undo : null },
    });
  });
};
