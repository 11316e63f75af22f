import {
  findCustomerKeys,
  findCustomerProfiles,
  findSurvivors,
  type MergeProposal,
} from '@tributary/domain/commerce/customers';
import { countOutcomesByCustomer } from '@tributary/domain/commerce/outcomes';
import type { Tx } from '@tributary/postgres';

/** Converts proposals to responses, with the customers' current survivors. */
export async function toProposalResponses(tx: Tx, profileId: string, proposals: readonly MergeProposal[]) {
  const survivors = await findSurvivors(
    tx,
    profileId,
    proposals.flatMap(({ one, other }) => [one, other]),
  );
  const ids = [...new Set(survivors.values())];
  const [keys, customers, outcomes] = [
    await findCustomerKeys(tx, profileId, ids),
    await findCustomerProfiles(tx, profileId, ids),
    await countOutcomesByCustomer(tx, profileId, ids),
  ];
  return proposals.map((proposal) => ({
    id: proposal.id,
    state: proposal.state,
    proposed_at: proposal.proposedAt.toISOString(),
    source: proposal.source,
    shared: { kind: proposal.kind, value: proposal.value },
    customers: [...new Set([proposal.one, proposal.other].flatMap((id) => survivors.get(id) ?? []))].map((id) => ({
      customer_profile_id: id,
      customer_key: keys.get(id) ?? null,
      name: customers.get(id)?.name ?? null,
      first_seen_at: (customers.get(id)?.firstSeenAt ?? proposal.proposedAt).toISOString(),
      outcomes: outcomes.get(id) ?? 0,
    })),
    decided_at: proposal.decidedAt?.toISOString() ?? null,
    reason: proposal.reason,
    merge_id: proposal.mergeId,
  }));
}
