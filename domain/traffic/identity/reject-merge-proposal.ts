import type { Routes } from '@tributary/contract';
import { decideProposal, findSurvivors, lockProposal } from '@tributary/domain/commerce/customers';
import { answer, type Handles, refuse } from '@tributary/operations';
import { toProposalResponses } from './proposals-response.ts';

export const rejectMergeProposal: Handles<Routes['rejectMergeProposal']> = (
  { params, body },
  { caller, effect, mentions, now },
) => {
  const { profileId } = caller;
  return effect(async (tx) => {
    const proposal = await lockProposal(tx, profileId, params.proposal_id);
    if (!proposal) return refuse('not_found', 'There is no such proposal in this profile.');
    const survivors = await findSurvivors(tx, profileId, [proposal.one, proposal.other]);
    if (survivors.get(proposal.one) === survivors.get(proposal.other))
      return refuse('invalid_state', 'The two are one customer. Undo the merge first.', {
        fields: { reason: 'customers_are_merged' },
      });
    if (proposal.state !== 'rejected')
      await decideProposal(tx, profileId, proposal.id, {
        state: 'rejected',
        at: now,
        by: caller.userId ?? caller.credentialId,
        reason: body.reason,
        mergeId: null,
      });
    const decided = (await lockProposal(tx, profileId, proposal.id)) ?? proposal;
    const [data] = await toProposalResponses(tx, profileId, [decided]);
    if (!data) throw new Error('A proposal that was found has a response.');
    for (const { customer_profile_id } of data.customers) mentions(customer_profile_id);
    return answer(200, { data });
  });
};
