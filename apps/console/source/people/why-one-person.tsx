import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { clientFor } from '../client.ts';
import { count, moment, words } from '../format.ts';
import { Answered } from '../parts/states.tsx';
import { usePlace } from '../place.ts';
import { type IdentityMerge, identityQuery, type WholeIdentity } from '../queries.ts';

interface WhyProps {
  readonly customerId: string;
  readonly timeZone: string;
}

/** Why several customers are one person: who they were, what joined them, and the way back. */
export function WhyOnePerson({ customerId, timeZone }: WhyProps) {
  const { place } = usePlace();
  const query = useQuery(identityQuery(place.profileId, customerId));
  return (
    <Answered query={query}>
      {(identity) =>
        identity.merges.length === 0 ? null : (
          <section aria-labelledby="why" className="card grid gap-4 p-5">
            <h2 id="why">Why one person</h2>
            <Customers identity={identity} timeZone={timeZone} />
            <ul aria-label="What joined them" className="divide-y divide-line">
              {identity.merges.map((merge) => (
                <MergeLine key={merge.id} merge={merge} timeZone={timeZone} />
              ))}
            </ul>
          </section>
        )
      }
    </Answered>
  );
}

function Customers({ identity, timeZone }: { readonly identity: WholeIdentity; readonly timeZone: string }) {
  return (
    <ul aria-label="Who they were" className="grid gap-2">
      {identity.customers.map((customer, place) => (
        <li key={customer.customer_profile_id} className={place === 0 ? '' : 'border-line border-l-2 pl-3'}>
          {customer.name ?? customer.identifiers[0]?.value ?? customer.customer_profile_id}
          <span className="label block break-all">
            {[
              ...customer.identifiers.map(({ kind, value }) => `${words(kind)} ${value}`),
              `${count(customer.browsers)} browsers`,
              `${count(customer.outcomes)} outcomes`,
              `since ${moment(customer.first_seen_at, timeZone)}`,
            ].join(', ')}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** First what would move, then the button that moves it. */
function MergeLine({ merge, timeZone }: { readonly merge: IdentityMerge; readonly timeZone: string }) {
  const { place } = usePlace();
  const client = clientFor(place.profileId);
  const queryClient = useQueryClient();
  const [reason, setReason] = useState('');
  const ask = (dry_run: 'true' | 'false') =>
    client.undoMerge({ params: { merge_id: merge.id }, query: { dry_run }, body: { reason: reason || 'Preview' } });
  const preview = useMutation({ mutationFn: async () => (await ask('true')).data });
  const undo = useMutation({
    mutationFn: async () => (await ask('false')).data,
    onSuccess: () => queryClient.invalidateQueries({ predicate: ({ queryKey: [first] }) => first !== 'account' }),
  });
  const failed = preview.error ?? undo.error;
  const { moved } = preview.data ?? {};
  return (
    <li className="grid gap-2 py-2">
      <span>
        Joined by {merge.said_kinds.map(words).join(' and ')}, said by {words(merge.source)}
        <span className="label block">
          {moment(merge.merged_at, timeZone)}; brought {count(merge.moved.outcomes)} outcomes,{' '}
          {count(merge.moved.browsers)} browsers
        </span>
      </span>
      {failed && (
        <p role="alert" className="text-problem">
          {failed.message}
        </p>
      )}
      {merge.undone_at && (
        <span className="label">
          Undone {moment(merge.undone_at, timeZone)}: {merge.reason}
        </span>
      )}
      {!merge.undone_at && !moved && (
        <button
          type="button"
          className="button justify-self-start"
          disabled={preview.isPending}
          onClick={() => preview.mutate()}
        >
          What would undo move?
        </button>
      )}
      {!merge.undone_at && moved && (
        <form
          className="flex flex-wrap items-end gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            undo.mutate();
          }}
        >
          <p className="label w-full">
            {count(moved.identifiers)} identifiers, {count(moved.browsers)} browsers and {count(moved.outcomes)}{' '}
            outcomes go back; {count(preview.data?.conversions ?? 0)} conversions are worked out again.
          </p>
          <label className="label grid gap-1">
            Why
            <input className="field w-44" value={reason} onChange={({ target }) => setReason(target.value)} required />
          </label>
          <button type="submit" className="button" disabled={undo.isPending}>
            Undo
          </button>
        </form>
      )}
    </li>
  );
}
