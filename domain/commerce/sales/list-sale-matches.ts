import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { listMatches } from './match-list.ts';
import { toMatchResponses } from './match-response.ts';

/** Lists matches of payments across sources, in pages. */
export const listSaleMatches: Handles<Routes['listSaleMatches']> = async ({ query }, { caller, ledger }) => {
  const { state, source, other_source: otherSource, evidence, is_certain, cursor: before, limit } = query;
  return ledger.transaction(
    async (tx) => {
      const found = await listMatches(tx, caller.profileId, {
        states: state && [state],
        source,
        otherSource,
        evidence,
        isCertain: is_certain && is_certain === 'true',
        isOpen: state === 'suggested' || state === 'automatic',
        before,
        limit: limit + 1,
      });
      const rows = found.slice(0, limit);
      return answer(200, {
        data: await toMatchResponses(tx, caller.profileId, rows),
        pagination: { has_next: found.length > limit, cursor: rows.at(-1)?.id ?? null },
      });
    },
    { readOnly: true },
  );
};
