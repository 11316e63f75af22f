import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { clientFor } from '../client.ts';
import { count, moment, words } from '../format.ts';
import { t } from '../messages/index.ts';
import { QueryResult } from '../parts/states.tsx';
import { problemOf } from '../problem.ts';
import { type IdentityMerge, identityQuery, type WholeIdentity } from '../queries.ts';
import { useReportScope } from '../report-scope.ts';

interface WhyProps {
  readonly customerId: string;
  readonly timeZone: string;
}

/** Why several customer records are one customer: the records, the shared identifiers, and the undo. */
export function WhyOnePerson({ customerId, timeZone }: WhyProps) {
  const { scope } = useReportScope();
  const query = useQuery(identityQuery(scope.profileId, customerId));
  return (
    <QueryResult query={query}>
      {(identity) =>
        identity.merges.length === 0 ? null : (
          <section aria-labelledby="why" className="card grid gap-4 p-5">
            <h2 id="why">{t.identity.why}</h2>
            <Customers identity={identity} timeZone={timeZone} />
            <ul aria-label={t.identity.whatJoined} className="divide-y divide-line">
              {identity.merges.map((merge) => (
                <MergeLine key={merge.id} merge={merge} timeZone={timeZone} />
              ))}
            </ul>
          </section>
        )
      }
    </QueryResult>
  );
}

function Customers({ identity, timeZone }: { readonly identity: WholeIdentity; readonly timeZone: string }) {
  return (
    <ul aria-label={t.identity.whoTheyWere} className="grid gap-2">
      {identity.customers.map((customer, index) => (
        <li key={customer.customer_profile_id} className={index === 0 ? '' : 'border-line border-l-2 pl-3'}>
          {customer.name ?? customer.identifiers[0]?.value ?? customer.customer_profile_id}
          <span className="label block break-all">
            {[
              ...customer.identifiers.map(({ kind, value }) => `${words(kind)} ${value}`),
              t.identity.browsers(count(customer.browsers)),
              t.identity.outcomes(count(customer.outcomes)),
              t.identity.since(moment(customer.first_seen_at, timeZone)),
            ].join(', ')}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Previews what would move before the button that moves it. */
function MergeLine({ merge, timeZone }: { readonly merge: IdentityMerge; readonly timeZone: string }) {
  const { scope } = useReportScope();
  const client = clientFor(scope.profileId);
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
        {t.identity.joinedBy(merge.said_kinds.map(words).join(t.common.and), words(merge.source))}
        <span className="label block">
          {t.identity.brought(
            moment(merge.merged_at, timeZone),
            count(merge.moved.outcomes),
            count(merge.moved.browsers),
          )}
        </span>
      </span>
      {failed && (
        <p role="alert" className="text-problem">
          {problemOf(failed)}
        </p>
      )}
      {merge.undone_at && (
        <span className="label">{t.identity.undone(moment(merge.undone_at, timeZone), merge.reason ?? '')}</span>
      )}
      {!merge.undone_at && !moved && (
        <button
          type="button"
          className="button justify-self-start"
          disabled={preview.isPending}
          onClick={() => preview.mutate()}
        >
          {t.identity.whatWouldMove}
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
            {t.identity.goBack(
              count(moved.identifiers),
              count(moved.browsers),
              count(moved.outcomes),
              count(preview.data?.conversions ?? 0),
            )}
          </p>
          <label className="label grid gap-1">
            {t.identity.reason}
            <input className="field w-44" value={reason} onChange={({ target }) => setReason(target.value)} required />
          </label>
          <button type="submit" className="button" disabled={undo.isPending}>
            {t.common.undo}
          </button>
        </form>
      )}
    </li>
  );
}
