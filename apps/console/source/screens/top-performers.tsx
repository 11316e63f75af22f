import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { t } from '../messages/index.ts';
import { AttributionWindow } from '../parts/attribution-window.tsx';
import { Choice } from '../parts/choice.tsx';
import { Empty, QueryResult } from '../parts/states.tsx';
import { useTitle } from '../parts/use-title.ts';
import { windowTitles } from '../parts/window-titles.ts';
import { profileQuery, topPerformersQuery } from '../queries.ts';
import { useReportScope } from '../report-scope.ts';
import { scoreWindows } from '../vocabulary.ts';
import { Performer } from './performer.tsx';

const route = getRouteApi('/p/$profileId/top-ads');

const windows = scoreWindows.map((value) => ({ value, title: windowTitles[value] }));

export function TopPerformers() {
  useTitle(t.pages.topAds);
  const { window } = route.useSearch();
  const { scope } = useReportScope();
  const navigate = useNavigate({ from: '/p/$profileId/top-ads' });
  const query = useQuery(topPerformersQuery(scope.profileId, window));
  const profile = useQuery(profileQuery(scope.profileId));
  return (
    <>
      <h1>{t.pages.topAds}</h1>
      <p className="mt-1 mb-4 max-w-prose text-soft">{t.performers.about}</p>
      <div className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-2">
        <Choice
          label={t.performers.window}
          value={window}
          options={windows}
          onChange={(next) =>
            void navigate({ to: '.', search: ({ explain: _, ...before }) => ({ ...before, window: next }) })
          }
        />
        <AttributionWindow />
      </div>
      <QueryResult query={profile}>
        {({ reporting_currency: currency }) => (
          <QueryResult query={query} lines={10}>
            {(performers) =>
              performers.length === 0 ? (
                <Empty title={t.performers.nothing}>{t.performers.nothingAbout}</Empty>
              ) : (
                <ol className="grid gap-3 lg:grid-cols-2">
                  {performers.map((performer, index) => (
                    <Performer key={performer.ad_id} rank={index + 1} performer={performer} currency={currency} />
                  ))}
                </ol>
              )
            }
          </QueryResult>
        )}
      </QueryResult>
    </>
  );
}
