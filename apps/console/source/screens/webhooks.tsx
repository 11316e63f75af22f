import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { clientFor } from '../client.ts';
import { milliseconds, localMoment as when, words } from '../format.ts';
import { useMembership } from '../membership.ts';
import { t } from '../messages/index.ts';
import { ConfirmButton } from '../parts/dialog.tsx';
import { OneTimeSecret } from '../parts/one-time-secret.tsx';
import { Empty, QueryResult } from '../parts/states.tsx';
import { useTitle } from '../parts/use-title.ts';
import { problemOf } from '../problem.ts';
import { useReportScope } from '../report-scope.ts';
import { NewWebhook } from '../workspace/new-webhook.tsx';
import {
  deliveriesQuery,
  type WebhookDelivery,
  type WebhookSubscription,
  webhooksQuery,
} from '../workspace/queries.ts';

/** Webhook subscriptions and the state of their deliveries. */
export function Webhooks() {
  useTitle(t.pages.webhooks);
  const { profileId } = useReportScope().scope;
  const { may } = useMembership();
  const mayChange = may('connections:write');
  const subscriptions = useQuery(webhooksQuery(profileId));
  const [chosen, choose] = useState<string>();
  return (
    <>
      <h1>{t.pages.webhooks}</h1>
      <p className="mb-4 max-w-prose text-soft">{t.webhooks.about}</p>
      <QueryResult query={subscriptions}>
        {(all) =>
          all.length === 0 ? (
            <Empty title={t.webhooks.none} />
          ) : (
            <ul className="grid gap-3">
              {all.map((one) => (
                <li key={one.id} className="card grid gap-2 p-5">
                  <Subscription profileId={profileId} subscription={one} mayChange={mayChange} />
                  <button
                    type="button"
                    className="justify-self-start text-accent hover:underline"
                    aria-expanded={chosen === one.id}
                    onClick={() => choose(chosen === one.id ? undefined : one.id)}
                  >
                    {chosen === one.id ? t.webhooks.hide : t.webhooks.show}
                  </button>
                  {chosen === one.id && (
                    <Deliveries profileId={profileId} subscriptionId={one.id} mayChange={mayChange} />
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </QueryResult>
      {mayChange && <NewWebhook profileId={profileId} />}
    </>
  );
}

const reasons = {
  by_hand: t.webhooks.byHand,
  gone: t.webhooks.gone,
  failing: t.webhooks.failing,
} as const;

const useChanged = (profileId: string) => {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: [profileId, 'webhooks'] });
};

function Subscription({
  profileId,
  subscription,
  mayChange,
}: {
  readonly profileId: string;
  readonly subscription: WebhookSubscription;
  readonly mayChange: boolean;
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
  const rotate = useMutation({
    mutationFn: async () => (await clientFor(profileId).rotateWebhookSecret({ params: { id } })).data,
  });
  const remove = useMutation({
    mutationFn: () => clientFor(profileId).deleteWebhookSubscription({ params: { id } }),
    onSuccess: changed,
  });
  const failed = test.error ?? change.error ?? rotate.error ?? remove.error;
  return (
    <>
      <h2 className="break-all">{url}</h2>
      <p className="text-soft">
        {t.webhooks.from(events.join(', '), providers.join(', '))} {reason ? reasons[reason] : t.webhooks.active}
        {failingSince && status === 'active' && t.webhooks.failingSince(when(failingSince))}.
      </p>
      <div className="flex flex-wrap gap-3 empty:hidden">
        {mayChange && status === 'active' && (
          <button type="button" className="button" disabled={test.isPending} onClick={() => test.mutate()}>
            {t.webhooks.sendTest}
          </button>
        )}
        {mayChange && (
          <>
            <button type="button" className="button" disabled={change.isPending} onClick={() => change.mutate()}>
              {status === 'active' ? t.webhooks.disable : t.webhooks.enable}
            </button>
            <ConfirmButton
              question={t.webhooks.rotateAsk}
              about={t.webhooks.rotateAbout}
              disabled={rotate.isPending}
              onConfirm={() => rotate.mutate()}
            >
              {t.webhooks.rotate}
            </ConfirmButton>
            <ConfirmButton
              question={t.webhooks.removeAsk(url)}
              about={t.webhooks.removeAbout}
              disabled={remove.isPending}
              onConfirm={() => remove.mutate()}
            >
              {t.webhooks.remove}
            </ConfirmButton>
          </>
        )}
      </div>
      {rotate.data && (
        <OneTimeSecret secret={rotate.data.secret ?? ''} about={t.webhooks.theSecret} note={t.webhooks.secretOnce} />
      )}
      {failed && (
        <p className="text-problem" role="alert">
          {problemOf(failed)}
        </p>
      )}
    </>
  );
}

function Deliveries({
  profileId,
  subscriptionId,
  mayChange,
}: {
  readonly profileId: string;
  readonly subscriptionId: string;
  readonly mayChange: boolean;
}) {
  const deliveries = useQuery(deliveriesQuery(profileId, subscriptionId));
  return (
    <QueryResult query={deliveries}>
      {(all) =>
        all.length === 0 ? (
          <p className="text-soft">{t.webhooks.nothingSent}</p>
        ) : (
          <ol className="grid gap-2">
            {all.map((one) => (
              <Delivery key={one.id} profileId={profileId} delivery={one} mayChange={mayChange} />
            ))}
          </ol>
        )
      }
    </QueryResult>
  );
}

function Delivery({
  profileId,
  delivery,
  mayChange,
}: {
  readonly profileId: string;
  readonly delivery: WebhookDelivery;
  readonly mayChange: boolean;
}) {
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
          {delivery.is_test && ` ${t.webhooks.test}`}: {words(delivery.status).toLowerCase()},{' '}
          {when(delivery.created_at)}
        </summary>
        <ol className="my-2 grid gap-1 text-soft">
          {delivery.attempts.map((attempt) => (
            <li key={attempt.at}>
              {when(attempt.at)}: {attempt.status_code ?? attempt.fault}, {milliseconds(attempt.duration_ms)}
            </li>
          ))}
          {delivery.next_attempt_at && <li>{t.webhooks.nextAttempt(when(delivery.next_attempt_at))}</li>}
        </ol>
        {delivery.payload && (
          <pre className="overflow-x-auto rounded bg-tint p-3">{JSON.stringify(delivery.payload, null, 2)}</pre>
        )}
        {mayChange && (
          <button type="button" className="button mt-2" disabled={replay.isPending} onClick={() => replay.mutate()}>
            {t.webhooks.sendAgain}
          </button>
        )}
        {replay.error && (
          <p className="text-problem" role="alert">
            {problemOf(replay.error)}
          </p>
        )}
      </details>
    </li>
  );
}
