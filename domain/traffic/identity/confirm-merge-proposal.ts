import type { AnswerOf, Routes } from '@tributary/contract';
import {
  type CustomerServices,
  decideProposal,
  findIdentifiers,
  findMerges,
  findSurvivors,
  lockProposal,
  mergeConfirmed,
  retryUndo,
} from '@tributary/domain/commerce/customers';
import { countOutcomesOf } from '@tributary/domain/commerce/outcomes';
import { answer, type Handles, type ProfileContext, refuse } from '@tributary/operations';
import { rolledBack, type Tx } from '@tributary/postgres';

type ConfirmedProposal = AnswerOf<Routes['confirmMergeProposal']>['body']['data'];

/** A dry run executes the confirmation and rolls it back, so the preview shows exactly its effect. */
export const confirmMergeProposal: Handles<Routes['confirmMergeProposal'], CustomerServices> = async (
  { params, query, body },
  context,
) => {
  const { effect, ledger, mentions } = context;
  const work = async (tx: Tx): Promise<ConfirmedProposal> => {
    const done = await confirm(tx, params.proposal_id, body.reason, context);
    for (const id of [done.customer_profile_id, done.merged_customer_id]) mentions(id);
    return done;
  };
  if (query.dry_run !== 'true') {
    const { body: confirmed } = await retryUndo(() =>
      effect(async (tx) => ({ status: 200, body: { data: await work(tx) } })),
    );
    return answer(200, { data: confirmed.data });
  }
  const done = await retryUndo(() => rolledBack(ledger, work));
  const data: ConfirmedProposal = done.outcome === 'applied' ? { ...done, outcome: 'dry_run', merge_id: null } : done;
  return answer(200, { data });
};

async function confirm(
  tx: Tx,
  proposalId: string,
  reason: string,
  { caller, now, requestId, tombstones }: ProfileContext & CustomerServices,
): Promise<ConfirmedProposal> {
  const { profileId } = caller;
  const proposal = await lockProposal(tx, profileId, proposalId);
  if (!proposal) return refuse('not_found', 'There is no such proposal in this profile.');
  const by = caller.userId ?? caller.credentialId;
  const evidence = { source: 'confirmed', saidAt: now, requestId, confirmedBy: by };
  const merged = await mergeConfirmed(tx, profileId, proposal, evidence, tombstones);
  switch (merged.refused) {
    case 'erased':
      return refuse('not_found', 'There is no such proposal in this profile.');
    case 'two_national_ids':
      return refuse('invalid_state', 'The two customers have different national ids.', {
        fields: { reason: 'two_national_ids' },
      });
    case 'same_customer': {
      const id = (await findSurvivors(tx, profileId, [proposal.one])).get(proposal.one) ?? proposal.one;
      const rest = { moved: { identifiers: 0, browsers: 0, outcomes: 0 }, conversions: 0 };
      const keys = await findKeys(tx, profileId, id);
      return {
        outcome: 'no_change',
        merge_id: proposal.mergeId,
        customer_profile_id: id,
        merged_customer_id: proposal.one === id ? proposal.other : proposal.one,
        customer_keys: keys,
        ...rest,
      };
    }
  }
  const { mergeId, survivorId, loserId } = merged;
  await decideProposal(tx, profileId, proposal.id, { state: 'confirmed', at: now, by, reason, mergeId });
  const [merge] = await findMerges(tx, profileId, [mergeId]);
  return {
    outcome: 'applied',
    merge_id: mergeId,
    customer_profile_id: survivorId,
    merged_customer_id: loserId,
    customer_keys: await findKeys(tx, profileId, survivorId),
    moved: {
      identifiers: merge?.movedIdentifiers ?? 0,
      browsers: merge?.movedBrowsers ?? 0,
      outcomes: merge?.movedOutcomes ?? 0,
    },
    conversions: await countOutcomesOf(tx, profileId, [survivorId]),
  };
}

const findKeys = async (tx: Tx, profileId: string, customerId: string): Promise<string[]> =>
  (await findIdentifiers(tx, profileId, [customerId])).flatMap(({ kind, value }) =>
    kind === 'external_customer_id' ? [value] : [],
  );
