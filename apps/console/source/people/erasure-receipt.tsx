import { useQuery } from '@tanstack/react-query';
import { moment, words } from '../format.ts';
import { t } from '../messages/index.ts';
import { QueryResult } from '../parts/states.tsx';
import { profileQuery, receiptQuery } from '../queries.ts';
import { useReportScope } from '../report-scope.ts';

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
              <h2 id="receipt">{t.erasures.receipt}</h2>
              <p role="status" className="border-accent border-l-2 pl-3">
                {receipt.status === 'done' ? t.erasures.done : t.erasures.queued}
              </p>
              <dl className="grid gap-3 sm:grid-cols-2">
                <Fact title={t.erasures.requestName} value={receipt.request_ref} />
                <Fact title={t.erasures.reason} value={words(receipt.reason)} />
                <Fact title={t.erasures.askedFor} value={moment(receipt.requested_at, timeZone)} />
                <Fact
                  title={t.erasures.doneAt}
                  value={receipt.completed_at ? moment(receipt.completed_at, timeZone) : t.erasures.notYet}
                />
                {receipt.customer_key && <Fact title={t.erasures.ownKey} value={receipt.customer_key} />}
                <Fact title={t.erasures.receipt} value={receipt.erasure_id} />
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
