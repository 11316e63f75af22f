import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { clientFor } from '../client.ts';
import { ago } from '../format.ts';
import { useMembership } from '../membership.ts';
import { Copy } from '../parts/copy.tsx';
import { LineForm, Titled } from '../parts/line-form.tsx';
import { Failed, Page, State } from '../parts/page.tsx';
import { Answered } from '../parts/states.tsx';
import { usePlace } from '../place.ts';
import { profileQuery } from '../queries.ts';
import { say } from '../words/index.ts';
import { snippetQuery, verificationQuery } from './queries.ts';

/** From nothing to numbers: what is done, what is next, and a check of the tracker that notices it by itself. */
export function SetUp() {
  const { profileId } = usePlace().place;
  const profile = useQuery({ ...profileQuery(profileId), staleTime: 0 });
  return (
    <Page title={say.pages.setUp} about={say.setUp.about}>
      <Answered query={profile}>
        {({ readiness }) => (
          <ol className="grid gap-3">
            {readiness.map(({ step, is_done: isDone }) => (
              <li key={step} className="card grid gap-3 p-5">
                <h2 className="flex flex-wrap items-center gap-2">
                  {steps[step]?.title ?? step}
                  <State tone={isDone ? 'good' : 'plain'}>{isDone ? say.setUp.done : say.setUp.toDo}</State>
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
    title: say.setUp.attribution,
    body: () => <p className="text-soft">{say.setUp.attributionAbout}</p>,
  },
  tracker_verified: { title: say.setUp.tracker, body: (profileId) => <Tracker profileId={profileId} /> },
  crm_or_outcome_source_connected: {
    title: say.setUp.payments,
    body: (profileId) => (
      <p className="text-soft">
        <ToConnections profileId={profileId}>{say.setUp.paymentsLink}</ToConnections>
        {say.setUp.paymentsAfter} <code>POST /api/v1/events</code>.
      </p>
    ),
  },
  ad_platform_connected: {
    title: say.setUp.platform,
    body: (profileId) => (
      <p className="text-soft">
        <ToConnections profileId={profileId}>{say.setUp.platformLink}</ToConnections>
        {say.setUp.platformAfter}
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
                {say.setUp.makeKey}
              </button>
              <Failed error={makeKey.error} />
            </div>
          ) : (
            <div className="grid gap-2">
              <p>
                {say.setUp.pasteBefore} <code>&lt;/head&gt;</code> {say.setUp.pasteAfter}
              </p>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
              <pre tabIndex={0} className="overflow-x-auto rounded bg-tint p-3 text-small">
                {text.trim()}
              </pre>
              <div>
                <Copy text={text.trim()} about={say.setUp.theTag} />
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
      <LineForm onSubmit={(form) => start.mutate(String(new FormData(form).get('url')))}>
        <Titled title={say.setUp.page}>
          <input className="field w-72" name="url" type="url" placeholder="https://shop.example/" required />
        </Titled>
        <button type="submit" className="button" disabled={start.isPending}>
          {say.setUp.check}
        </button>
      </LineForm>
      <Failed error={start.error} />
      {check && (
        <p aria-live="polite">
          {check.status === 'verified' && check.verified_at ? (
            say.setUp.seen(ago(check.verified_at))
          ) : check.status === 'pending' ? (
            <>
              <a className="text-accent underline" href={check.link} target="_blank" rel="noreferrer">
                {say.setUp.openPage}
              </a>{' '}
              {say.setUp.once(check.hint ?? '')}
            </>
          ) : (
            say.setUp.noVisit(check.hint ?? '')
          )}
        </p>
      )}
    </div>
  );
}
