import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { clientFor } from '../client.ts';
import { count, localMoment, words } from '../format.ts';
import { useMembership } from '../membership.ts';
import { t } from '../messages/index.ts';
import { Failed, Page } from '../parts/page.tsx';
import { Empty, QueryResult } from '../parts/states.tsx';
import { type MergeProposal, mergeProposalsQuery, type ProposalState } from '../queries.ts';
import { useReportScope } from '../report-scope.ts';
import { mergeProposalStates } from '../vocabulary.ts';
import { More } from './more.tsx';
import { OnlyWithPeople } from './only-with-customers.tsx';
import { PersonLink } from './person-link.tsx';

/** Pairs of customers with different keys that share an identifier: evidence, preview and decision. */
export function MergeProposals() {
  const { scope } = useReportScope();
  const [state, setState] = useState<ProposalState>('open');
  const query = useInfiniteQuery(mergeProposalsQuery(scope.profileId, state));
  const picker = useId();
  return (
    <OnlyWithPeople title={t.pages.mergeProposals}>
      <Page title={t.pages.mergeProposals} about={t.proposals.about}>
        <div className="mb-4 flex items-center gap-3">
          <label htmlFor={picker} className="label">
            {t.proposals.state}
          </label>
          <select
            id={picker}
            className="field"
            value={state}
            onChange={({ target }) => setState(target.value as ProposalState)}
          >
            {mergeProposalStates.map((one) => (
              <option key={one} value={one}>
                {t.proposals[one]}
              </option>
            ))}
          </select>
        </div>
        <QueryResult query={query}>
          {({ pages }) => <Proposals proposals={pages.flatMap((page) => page.data)} />}
        </QueryResult>
        <More query={query} />
      </Page>
    </OnlyWithPeople>
  );
}

function Proposals({ proposals }: { readonly proposals: readonly MergeProposal[] }) {
  if (proposals.length === 0) return <Empty title={t.proposals.none}>{t.proposals.noneAbout}</Empty>;
  return (
    <ul aria-label={t.proposals.list} className="card divide-y divide-line">
      {proposals.map((proposal) => (
        <Proposal key={proposal.id} proposal={proposal} />
      ))}
    </ul>
  );
}

function Proposal({ proposal }: { readonly proposal: MergeProposal }) {
  const { may } = useMembership();
  return (
    <li className="grid gap-2 px-5 py-3">
      <div className="flex flex-wrap gap-x-8 gap-y-1">
        {proposal.customers.map((customer) => (
          <span key={customer.customer_profile_id} className="min-w-0">
            <PersonLink
              customerId={customer.customer_profile_id}
              title={customer.name ?? customer.customer_key ?? t.people.unknown}
            />
            <span className="label block break-all">
              {[
                customer.customer_key ?? t.proposals.withoutKey,
                t.proposals.outcomes(count(customer.outcomes)),
                t.identity.since(localMoment(customer.first_seen_at)),
              ].join(', ')}
            </span>
          </span>
        ))}
      </div>
      <p className="label break-all">
        {t.proposals.shared(words(proposal.shared.kind), proposal.shared.value)}
        <span className="block">{t.proposals.proposed(words(proposal.source), localMoment(proposal.proposed_at))}</span>
        {proposal.decided_at && (
          <span className="block">
            {t.proposals.decided(t.proposals[proposal.state], localMoment(proposal.decided_at), proposal.reason ?? '')}
            {proposal.state === 'confirmed' && !isMerged(proposal) && ` ${t.proposals.undone}`}
          </span>
        )}
      </p>
      {may('attribution:write') && <Decision proposal={proposal} />}
    </li>
  );
}

/** An undone merge leaves two customers again. */
const isMerged = ({ customers }: MergeProposal): boolean => customers.length < 2;

/** Previews the changes before the decision. */
function Decision({ proposal }: { readonly proposal: MergeProposal }) {
  const { scope } = useReportScope();
  const client = clientFor(scope.profileId);
  const queryClient = useQueryClient();
  const [reason, setReason] = useState('');
  const params = { proposal_id: proposal.id };
  const onSuccess = () => {
    setReason('');
    return queryClient.invalidateQueries({ predicate: ({ queryKey: [first] }) => first !== 'account' });
  };
  const preview = useMutation({
    mutationFn: async () =>
      (await client.confirmMergeProposal({ params, query: { dry_run: 'true' }, body: { reason: 'Preview' } })).data,
  });
  const confirm = useMutation({
    mutationFn: () => client.confirmMergeProposal({ params, query: { dry_run: 'false' }, body: { reason } }),
    onSuccess,
  });
  const reject = useMutation({
    mutationFn: () => client.rejectMergeProposal({ params, body: { reason } }),
    onSuccess,
  });
  const undo = useMutation({
    mutationFn: () =>
      client.undoMerge({
        params: { merge_id: proposal.merge_id ?? '' },
        query: { dry_run: 'false' },
        body: { reason },
      }),
    onSuccess,
  });
  const isPending = confirm.isPending || reject.isPending || undo.isPending;
  if (isMerged(proposal) && !proposal.merge_id) return null;
  return (
    <form
      className="flex flex-wrap items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (isMerged(proposal)) undo.mutate();
        else confirm.mutate();
      }}
    >
      {preview.data && (
        <p role="status" className="label w-full">
          {t.proposals.wouldMove(
            count(preview.data.moved.outcomes),
            count(preview.data.moved.browsers),
            preview.data.customer_keys.join(', '),
          )}
        </p>
      )}
      {!isMerged(proposal) && !preview.data && (
        <button type="button" className="button" disabled={preview.isPending} onClick={() => preview.mutate()}>
          {t.proposals.preview}
        </button>
      )}
      <label className="label grid gap-1">
        {t.proposals.reason}
        <input className="field w-52" value={reason} onChange={({ target }) => setReason(target.value)} required />
      </label>
      {(isMerged(proposal) || preview.data) && (
        <button type="submit" className="button" disabled={isPending}>
          {isMerged(proposal) ? t.proposals.undo : t.proposals.confirm}
        </button>
      )}
      {!isMerged(proposal) && proposal.state === 'open' && (
        <button
          type="button"
          className="button"
          disabled={isPending || reason.trim() === ''}
          onClick={() => reject.mutate()}
        >
          {t.proposals.reject}
        </button>
      )}
      <Failed error={preview.error ?? confirm.error ?? reject.error ?? undo.error} />
    </form>
  );
}
