import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { t } from '../messages/index.ts';
import { State } from '../parts/page.tsx';
import { QueryResult } from '../parts/states.tsx';
import { profileQuery } from '../queries.ts';
import { useReportScope } from '../report-scope.ts';
import { receiptOf, recentVisitsQuery } from './queries.ts';
import { TrackerStep } from './tracker-step.tsx';

const recheckEveryMs = 5_000;

/** The steps from an empty profile to the first figures. Steps are checked off automatically. */
export function Checklist() {
  const { profileId } = useReportScope().scope;
  const profile = useQuery({
    ...profileQuery(profileId),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.readiness.every((one) => one.is_done) ? false : recheckEveryMs),
  });
  const visits = useQuery(recentVisitsQuery(profileId, profile.data?.time_zone));
  const receipt = visits.data && receiptOf(visits.data);
  return (
    <QueryResult query={profile}>
      {({ readiness }) => {
        const list = readiness.map(({ step, is_done: isDone }) => ({
          step,
          isDone: isDone || (step === 'tracker_verified' && receipt?.kind === 'visit'),
        }));
        const done = list.filter(({ isDone }) => isDone).length;
        return (
          <div className="grid gap-3">
            <div className="flex flex-wrap items-center gap-3">
              <span className="label" aria-live="polite">
                {t.setUp.progress(done, list.length)}
              </span>
              <span aria-hidden="true" className="h-1.5 w-40 rounded bg-tint">
                <span
                  className="block h-1.5 rounded bg-accent"
                  style={{ width: `${(100 * done) / Math.max(1, list.length)}%` }}
                />
              </span>
            </div>
            <ol className="grid gap-3">
              {list.map(({ step, isDone }, index) => (
                <li key={step} className="card grid gap-3 p-5">
                  <h2 className="flex flex-wrap items-center gap-2">
                    <Mark isDone={isDone} number={index + 1} />
                    {steps[step]?.title ?? step}
                    <State tone={isDone ? 'good' : 'plain'}>{isDone ? t.setUp.done : t.setUp.toDo}</State>
                  </h2>
                  {step === 'tracker_verified' ? (
                    <TrackerStep profileId={profileId} receipt={receipt} />
                  ) : (
                    <div className="text-soft">{steps[step]?.body()}</div>
                  )}
                </li>
              ))}
            </ol>
          </div>
        );
      }}
    </QueryResult>
  );
}

function Mark({ isDone, number }: { readonly isDone: boolean; readonly number: number }) {
  return (
    <span
      aria-hidden="true"
      className={`grid size-6 place-items-center rounded-full text-small ${isDone ? 'bg-accent text-paper' : 'bg-tint text-soft'}`}
    >
      {isDone ? '✓' : number}
    </span>
  );
}

const steps: Readonly<Record<string, { title: string; body: () => ReactNode }>> = {
  attribution_enabled: { title: t.setUp.attribution, body: () => t.setUp.attributionAbout },
  tracker_verified: { title: t.setUp.tracker, body: () => null },
  crm_or_outcome_source_connected: {
    title: t.setUp.payments,
    body: () => (
      <ul className="grid gap-1">
        <li>
          <To page="/p/$profileId/connections">{t.setUp.paymentsLink}</To>
        </li>
        <li>
          {t.setUp.orFromServer} <To page="/p/$profileId/keys">{t.setUp.createKey}</To>,{' '}
          <a className="text-accent underline" href="/docs">
            {t.setUp.readGuide}
          </a>
        </li>
      </ul>
    ),
  },
  ad_platform_connected: {
    title: t.setUp.platform,
    body: () => (
      <>
        <To page="/p/$profileId/connections">{t.setUp.platformLink}</To>
        {t.setUp.platformAfter}
      </>
    ),
  },
};

function To({
  page,
  children,
}: {
  readonly page: '/p/$profileId/connections' | '/p/$profileId/keys';
  readonly children: ReactNode;
}) {
  const { scope, linkSearch } = useReportScope();
  return (
    <Link to={page} params={{ profileId: scope.profileId }} search={linkSearch} className="text-accent underline">
      {children}
    </Link>
  );
}
