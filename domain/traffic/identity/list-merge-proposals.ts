import type { Routes } from '@tributary/contract';
import { listProposals, type ProposalCursor } from '@tributary/domain/commerce/customers';
import { answer, type Handles } from '@tributary/operations';
import { toProposalResponses } from './proposals-response.ts';

export const listMergeProposals: Handles<Routes['listMergeProposals']> = async (
  { query },
  { caller, ledger, mentions },
) => {
  const { profileId } = caller;
  const { state, limit } = query;
  const { rows, data } = await ledger.transaction(
    async (tx) => {
      const found = await listProposals(tx, profileId, { state, after: parseCursor(query.cursor), limit: limit + 1 });
      return { rows: found, data: await toProposalResponses(tx, profileId, found.slice(0, limit)) };
    },
    { readOnly: true },
  );
  for (const { customers } of data) for (const { customer_profile_id } of customers) mentions(customer_profile_id);
  const last = rows.slice(0, limit).at(-1);
  return answer(200, {
    // Hides open proposals whose customers have been merged since: nothing is left to decide.
    data: data.filter((proposal) => proposal.state !== 'open' || proposal.customers.length === 2),
    pagination: {
      has_next: rows.length > limit,
      cursor: last ? `${last.proposedAt.toISOString()}|${last.id}` : null,
    },
  });
};

function parseCursor(cursor: string | undefined): ProposalCursor | undefined {
  const [at, id] = cursor?.split('|') ?? [];
  return at !== undefined && id !== undefined ? { at: new Date(at), id } : undefined;
}
