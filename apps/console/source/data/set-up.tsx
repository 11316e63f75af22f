import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { clientFor } from '../client.ts';
import { ago } from '../format.ts';
import { useMembership } from '../membership.ts';
import { Copy } from '../parts/copy.tsx';
import { Failed, Page, State } from '../parts/page.tsx';
import { Answered } from '../parts/states.tsx';
import { usePlace } from '../place.ts';
import { profileQuery } from '../queries.ts';
import { snippetQuery, verificationQuery } from './queries.ts';

/** From nothing to numbers: what is done, what is next, and a check of the tracker that notices it by itself. */
export function SetUp() {
  const { profileId } = usePlace().place;
  const profile = useQuery({ ...profileQuery(profileId), staleTime: 0 });
  return (
    <Page title="Set-up" about="What a profile needs before its numbers are whole.">
      <Answered query={profile}>
        {({ readiness }) => (
          <ol className="grid gap-3">
            {readiness.map(({ step, is_done: isDone }) => (
              <li key={step} className="card grid gap-3 p-5">
                <h2 className="flex flex-wrap items-center gap-2">
                  {steps[step]?.title ?? step}
                  <State tone={isDone ? 'good' : 'plain'}>{isDone ? 'Done' : 'To do'}</State>
                </h2>
                {steps[step]?.body(profileId)}
              </li>
            ))}
          </ol>
        )}
      </Answered>
    </Page>
  );
}

const steps: Readonly<Record<string, { title: string; body: (profileId: string) => ReactNode }>> = {
  attribution_enabled: {
    title: 'Attribution is on',
    body: () => <p className="text-soft">Visits and payments are joined, and credit is worked out within seconds.</p>,
  },
  tracker_verified: { title: 'The tracker is on your site', body: (profileId) => <Tracker profileId={profileId} /> },
  crm_or_outcome_source_connected: {
    title: 'Payments or deals arrive',
    body: (profileId) => (
      <p className="text-soft">
        <ToConnections profileId={profileId}>Connect a payment provider or CRM</ToConnections>, or send payments from
        your server with <code>POST /api/v1/events</code>.
      </p>
    ),
  },
  ad_platform_connected: {
    title: 'An ad platform is connected',
    body: (profileId) => (
      <p className="text-soft">
        <ToConnections profileId={profileId}>Connect Meta Ads or Google Ads</ToConnections>, so that spend, names and
        claims are known.
      </p>
    ),
  },
};

function ToConnections({ profileId, children }: { readonly profileId: string; readonly children: ReactNode }) {
  const { kept } = usePlace();
  return (
    <Link to="/p/$profileId/connections" params={{ profileId }} search={kept} className="text-accent underline">
      {children}
    </Link>
  );
}

function Tracker({ profileId }: { readonly profileId: string }) {
  const { may } = useMembership();
  const queryClient = useQueryClient();
  const snippet = useQuery(snippetQuery(profileId));
  const makeKey = useMutation({
    mutationFn: () => clientFor(profileId).createTrackingKey({}),
    onSuccess: () => queryClient.invalidateQueries(snippetQuery(profileId)),
  });
  return (
    <>
      <Answered query={snippet} lines={2}>
        {(text) =>
          text === null ? (
            <div>
              <button
                type="button"
                className="button-main"
                disabled={!may('attribution:write') || makeKey.isPending}
                onClick={() => makeKey.mutate()}
              >
                Make a tracking key
              </button>
              <Failed error={makeKey.error} />
            </div>
          ) : (
            <div className="grid gap-2">
              <p>
                Paste this before <code>&lt;/head&gt;</code> on every page.
              </p>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
              <pre tabIndex={0} className="overflow-x-auto rounded bg-tint p-3 text-small">
                {text.trim()}
              </pre>
              <div>
                <Copy text={text.trim()} about="the tag" />
              </div>
            </div>
          )
        }
      </Answered>
      {may('attribution:write') && snippet.data && <Check profileId={profileId} />}
    </>
  );
}

/** A visit through its link proves that the tracker works; until then this looks again every few seconds. */
function Check({ profileId }: { readonly profileId: string }) {
  const queryClient = useQueryClient();
  const latest = useQuery(verificationQuery(profileId));
  const start = useMutation({
    mutationFn: (url: string) => clientFor(profileId).createTrackingVerification({ body: { url } }),
    onSuccess: () =>
      Promise.all([
        queryClient.invalidateQueries(verificationQuery(profileId)),
        queryClient.invalidateQueries(profileQuery(profileId)),
      ]),
  });
  const check = latest.data;
  return (
    <div className="grid gap-2">
      <form
        className="flex flex-wrap items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          start.mutate(String(new FormData(event.currentTarget).get('url')));
        }}
      >
        <label className="grid gap-1">
          <span className="label">A page with the tag on it</span>
          <input className="field w-72" name="url" type="url" placeholder="https://shop.example/" required />
        </label>
        <button type="submit" className="button" disabled={start.isPending}>
          Check it
        </button>
      </form>
      <Failed error={start.error} />
      {check && (
        <p aria-live="polite">
          {check.status === 'verified' && check.verified_at ? (
            <>Seen {ago(check.verified_at)}: the tracker works.</>
          ) : check.status === 'pending' ? (
            <>
              <a className="text-accent underline" href={check.link} target="_blank" rel="noreferrer">
                Open your page
              </a>{' '}
              once: this notices the visit by itself. {check.hint}
            </>
          ) : (
            <>No visit came in time. {check.hint} Check it again.</>
          )}
        </p>
      )}
    </div>
  );
}
