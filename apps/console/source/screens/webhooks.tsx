import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { clientFor } from '../client.ts';
import { milliseconds, localMoment as when, words } from '../format.ts';
import { Answered, Empty } from '../parts/states.tsx';
import { useTitle } from '../parts/use-title.ts';
import { usePlace } from '../place.ts';
import { problemOf } from '../problem.ts';
import { say } from '../words/index.ts';
import {
  deliveriesQuery,
  type WebhookDelivery,
  type WebhookSubscription,
  webhooksQuery,
} from '../workspace/queries.ts';

/** Who is told what happens, and what became of it. */
export function Webhooks() {
  useTitle(say.pages.webhooks);
  const { profileId } = usePlace().place;
  const subscriptions = useQuery(webhooksQuery(profileId));
  const [chosen, choose] = useState<string>();
  return (
    <>
      <h1 className="mb-4">{say.pages.webhooks}</h1>
      <Answered query={subscriptions}>
        {(all) =>
          all.length === 0 ? (
            <Empty title={say.webhooks.nobody}>
              {say.webhooks.make} <code>POST /api/v1/webhooks/subscriptions</code>.
            </Empty>
          ) : (
            <ul className="grid gap-3">
              {all.map((one) => (
                <li key={one.id} className="card grid gap-2 p-5">
                  <Subscription profileId={profileId} subscription={one} />
                  <button
                    type="button"
                    className="justify-self-start text-accent hover:underline"
                    aria-expanded={chosen === one.id}
                    onClick={() => choose(chosen === one.id ? undefined : one.id)}
                  >
                    {chosen === one.id ? say.webhooks.hide : say.webhooks.show}
                  </button>
                  {chosen === one.id && <Deliveries profileId={profileId} subscriptionId={one.id} />}
                </li>
              ))}
            </ul>
          )
        }
      </Answered>
    </>
  );
}

const reasons = {
  by_hand: say.webhooks.byHand,
  gone: say.webhooks.gone,
  failing: say.webhooks.failing,
} as const;

const useChanged = (profileId: string) => {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: [profileId, 'webhooks'] });
};

function Subscription({
  profileId,
  subscription,
}: {
  readonly profileId: string;
  readonly subscription: WebhookSubscription;
}) {
  const { id, url, events, providers, status, disabled_reason: reason, failing_since: failingSince } = subscription;
  const changed = useChanged(profileId);
  const test = useMutation({
    mutationFn: () => clientFor(profileId).testWebhookSubscription({ params: { id }, body: {} }),
    onSuccess: changed,
  });
  const change = useMutation({
    mutationFn: () =>
      clientFor(profileId).updateWebhookSubscription({
        params: { id },
        body: { status: status === 'active' ? 'disabled' : 'active' },
      }),
    onSuccess: changed,
  });
  const failed = test.error ?? change.error;
  return (
    <>
      <h2 className="break-all">{url}</h2>
      <p className="text-soft">
        {say.webhooks.from(events.join(', '), providers.join(', '))} {reason ? reasons[reason] : say.webhooks.active}
        {failingSince && status === 'active' && say.webhooks.failingSince(when(failingSince))}.
      </p>
      <div className="flex flex-wrap gap-3">
        {status === 'active' && (
          <button type="button" className="button" disabled={test.isPending} onClick={() => test.mutate()}>
            {say.webhooks.sendTest}
          </button>
        )}
        <button type="button" className="button" disabled={change.isPending} onClick={() => change.mutate()}>
          {status === 'active' ? say.webhooks.disable : say.webhooks.enable}
        </button>
      </div>
      {failed && (
        <p className="text-problem" role="alert">
          {problemOf(failed)}
        </p>
      )}
    </>
  );
}

function Deliveries({ profileId, subscriptionId }: { readonly profileId: string; readonly subscriptionId: string }) {
  const deliveries = useQuery(deliveriesQuery(profileId, subscriptionId));
  return (
    <Answered query={deliveries}>
      {(all) =>
        all.length === 0 ? (
          <p className="text-soft">{say.webhooks.nothingSent}</p>
        ) : (
          <ol className="grid gap-2">
            {all.map((one) => (
              <Delivery key={one.id} profileId={profileId} delivery={one} />
            ))}
          </ol>
        )
      }
    </Answered>
  );
}

function Delivery({ profileId, delivery }: { readonly profileId: string; readonly delivery: WebhookDelivery }) {
  const changed = useChanged(profileId);
  const replay = useMutation({
    mutationFn: () => clientFor(profileId).replayWebhookDelivery({ params: { id: delivery.id } }),
    onSuccess: changed,
  });
  return (
    <li className="border-line border-t pt-2">
      <details>
        <summary>
          {delivery.event}
          {delivery.is_test && ` ${say.webhooks.test}`}: {words(delivery.status).toLowerCase()},{' '}
          {when(delivery.created_at)}
        </summary>
        <ol className="my-2 grid gap-1 text-soft">
          {delivery.attempts.map((attempt) => (
            <li key={attempt.at}>
              {when(attempt.at)}: {attempt.status_code ?? attempt.fault}, {milliseconds(attempt.duration_ms)}
            </li>
          ))}
          {delivery.next_attempt_at && <li>{say.webhooks.nextAttempt(when(delivery.next_attempt_at))}</li>}
        </ol>
        {delivery.payload && (
          <pre className="overflow-x-auto rounded bg-tint p-3">{JSON.stringify(delivery.payload, null, 2)}</pre>
        )}
        <button type="button" className="button mt-2" disabled={replay.isPending} onClick={() => replay.mutate()}>
          {say.webhooks.sendAgain}
        </button>
        {replay.error && (
          <p className="text-problem" role="alert">
            {problemOf(replay.error)}
          </p>
        )}
      </details>
    </li>
  );
}
