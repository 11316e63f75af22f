import { useQuery } from '@tanstack/react-query';
import { moment, words } from '../format.ts';
import { Answered } from '../parts/states.tsx';
import { usePlace } from '../place.ts';
import { profileQuery, receiptQuery } from '../queries.ts';

/** That somebody was erased, followed until it is done. It says the request, and nothing of the person but your own key. */
export function ErasureReceipt({ erasureId }: { readonly erasureId: string }) {
  const { place } = usePlace();
  const query = useQuery(receiptQuery(place.profileId, erasureId));
  const profile = useQuery(profileQuery(place.profileId));
  return (
    <Answered query={profile}>
      {({ time_zone: timeZone }) => (
        <Answered query={query}>
          {(receipt) => (
            <section aria-labelledby="receipt" className="card grid max-w-2xl gap-4 p-6">
              <h2 id="receipt">Receipt</h2>
              <p role="status" className="border-accent border-l-2 pl-3">
                {receipt.status === 'done'
                  ? 'Done: the person is gone from every store.'
                  : 'Queued: nobody finds the person any more, and the last stores are being cleared. This page looks again by itself.'}
              </p>
              <dl className="grid gap-3 sm:grid-cols-2">
                <Fact title="Your name for the request" value={receipt.request_ref} />
                <Fact title="Reason" value={words(receipt.reason)} />
                <Fact title="Asked for" value={moment(receipt.requested_at, timeZone)} />
                <Fact title="Done" value={receipt.completed_at ? moment(receipt.completed_at, timeZone) : 'Not yet'} />
                {receipt.customer_key && <Fact title="Your own key of the customer" value={receipt.customer_key} />}
                <Fact title="Receipt" value={receipt.erasure_id} />
              </dl>
            </section>
          )}
        </Answered>
      )}
    </Answered>
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
