import { useQuery } from '@tanstack/react-query';
import { moment, words } from '../format.ts';
import { QueryResult } from '../parts/states.tsx';
import { useReportScope } from '../report-scope.ts';
import { profileQuery, receiptQuery } from '../queries.ts';
import { say } from '../messages/index.ts';

/** The receipt of an erasure, polled until it is done. It shows the request and, of the customer, only the caller's own key. */
export function ErasureReceipt({ erasureId }: { readonly erasureId: string }) {
  const { scope } = useReportScope();
  const query = useQuery(receiptQuery(scope.profileId, erasureId));
  const profile = useQuery(profileQuery(scope.profileId));
  return (
    <QueryResult query={profile}>
      {({ time_zone: timeZone }) => (
        <QueryResult query={query}>
          {(receipt) => (
            <section aria-labelledby="receipt" className="card grid max-w-2xl gap-4 p-6">
              <h2 id="receipt">{say.erasures.receipt}</h2>
              <p role="status" className="border-accent border-l-2 pl-3">
                {receipt.status === 'done' ? say.erasures.done : say.erasures.queued}
              </p>
              <dl className="grid gap-3 sm:grid-cols-2">
                <Fact title={say.erasures.requestName} value={receipt.request_ref} />
                <Fact title={say.erasures.reason} value={words(receipt.reason)} />
                <Fact title={say.erasures.askedFor} value={moment(receipt.requested_at, timeZone)} />
                <Fact
                  title={say.erasures.doneAt}
                  value={receipt.completed_at ? moment(receipt.completed_at, timeZone) : say.erasures.notYet}
                />
                {receipt.customer_key && <Fact title={say.erasures.ownKey} value={receipt.customer_key} />}
                <Fact title={say.erasures.receipt} value={receipt.erasure_id} />
              </dl>
            </section>
          )}
        </QueryResult>
      )}
    </QueryResult>
  );
}

function Fact({ title, value }: { readonly title: string; readonly value: string }) {
  return (
    <div>
      <dt className="label">{title}</dt>
      <dd className="break-all">{value}</dd>
    </div>
  );
}
