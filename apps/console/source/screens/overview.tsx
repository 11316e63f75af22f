import { useQuery } from '@tanstack/react-query';
import { Checklist } from '../data/checklist.tsx';
import { comparedRange } from '../date-range.ts';
import { channelTitle, percent, words } from '../format.ts';
import { t } from '../messages/index.ts';
import { Alerts } from '../parts/alerts.tsx';
import { Figure } from '../parts/figure.tsx';
import { SetUpLink } from '../parts/set-up-link.tsx';
import { Empty, QueryResult } from '../parts/states.tsx';
import { useTitle } from '../parts/use-title.ts';
import { emptyRecheckMs, type OverviewAnswer, overviewQuery, profileQuery } from '../queries.ts';
import { useReportScope } from '../report-scope.ts';
import { sharedLink } from '../shared-link.ts';
import { explainedInOverview } from './explained.ts';
import { Earners } from './overview-earners.tsx';
import { Tiles } from './overview-tiles.tsx';
import { Trend } from './overview-trend.tsx';

export function Overview() {
  useTitle(t.pages.overview);
  const { scope } = useReportScope();
  const query = useQuery({
    ...overviewQuery(scope),
    // Polls an empty report, so that the first payment appears without a reload.
    refetchInterval: ({ state }) => (state.data && isEmpty(state.data) && !sharedLink() ? emptyRecheckMs : false),
  });
  return (
    <>
      <h1 className="mb-4">{t.pages.overview}</h1>
      <Alerts />
      <QueryResult query={query} lines={8}>
        {(overview) => (isEmpty(overview) ? <NothingYet /> : <Figures overview={overview} />)}
      </QueryResult>
    </>
  );
}

const isEmpty = ({ data: { totals } }: OverviewAnswer): boolean =>
  totals.spend === 0 && totals.attributed_outcome_count === 0;

/** Shows the checklist in place of the overview until the profile is set up. */
function NothingYet() {
  const { scope } = useReportScope();
  const { data: profile } = useQuery({ ...profileQuery(scope.profileId), enabled: !sharedLink() });
  if (sharedLink() || !profile || profile.readiness.every(({ is_done: isDone }) => isDone))
    return (
      <Empty title={t.overview.nothing}>
        {t.overview.otherDays}
        {profile && <SetUpLink />}
      </Empty>
    );
  return (
    <>
      <Empty title={t.overview.nothing}>{t.overview.otherDays}</Empty>
      <section aria-labelledby="get-started" className="mt-6">
        <h2 id="get-started">{t.setUp.getStarted}</h2>
        <p className="mb-4 max-w-prose text-soft">{t.setUp.getStartedAbout}</p>
        <Checklist />
      </section>
    </>
  );
}

function Figures({ overview }: { readonly overview: OverviewAnswer }) {
  const { scope, compared } = useReportScope();
  const range = comparedRange(scope, compared);
  const { data: before } = useQuery({
    ...overviewQuery({ ...scope, ...range }),
    enabled: range !== undefined,
  });
  const { data, meta } = overview;
  return (
    <div className="grid gap-6">
      <Tiles overview={overview} before={range && before && { range, totals: before.data.totals }} />
      <div className="grid items-start gap-6 lg:grid-cols-[3fr_2fr] [&>*]:min-w-0">
        <Trend
          days={data.days}
          before={range && before?.data.days}
          currency={meta.currency}
          timeZone={meta.time_zone}
        />
        <Earners currency={meta.currency} />
      </div>
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <Channels overview={overview} />
        <Types overview={overview} />
      </div>
      {!sharedLink() && <p className="label">{t.overview.note(meta.time_zone)}</p>}
    </div>
  );
}

function Channels({ overview: { data, meta } }: { readonly overview: OverviewAnswer }) {
  const most = Math.max(...data.channels.map(({ outcome_value: value }) => value ?? 0), 0);
  return (
    <section className="card p-5" aria-labelledby="channels">
      <h2 id="channels">{t.overview.channels}</h2>
      <p className="label mb-3">{t.overview.channelsAbout}</p>
      <table className="w-full">
        <thead>
          <tr className="label text-right">
            <th scope="col" className="py-1 text-left font-medium">
              {t.overview.channel}
            </th>
            <th scope="col" className="pl-3 font-medium">
              {t.metrics.payments}
            </th>
            <th scope="col" className="pl-3 font-medium">
              {t.metrics.revenue}
            </th>
          </tr>
        </thead>
        <tbody>
          {data.channels.map(({ channel, outcome_count: payments, outcome_value: value }) => (
            <tr key={channel} className="border-line border-t">
              <th scope="row" className="w-1/2 py-1.5 text-left font-normal">
                {channelTitle(channel)}
                <span aria-hidden="true" className="mt-1 block h-1 rounded bg-tint">
                  <span
                    className="block h-1 rounded bg-accent"
                    style={{ width: percentWidth(most > 0 ? (value ?? 0) / most : 0) }}
                  />
                </span>
              </th>
              {(
                [
                  ['outcome_count', payments],
                  ['outcome_value', value],
                ] as const
              ).map(([field, figure]) => (
                <td key={field} className="pl-3 text-right align-top leading-9">
                  <Figure
                    of={{ ...explainedInOverview(field), channel }}
                    value={figure}
                    currency={meta.currency}
                    about={channelTitle(channel)}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const percentWidth = (share: number): string => `${Math.max(0, Math.min(1, share)) * 100}%`;

function Types({ overview: { data, meta } }: { readonly overview: OverviewAnswer }) {
  const types = Object.entries(data.totals.outcomes_by_type).toSorted(([, a], [, b]) => b - a);
  const all = data.totals.attributed_outcome_count;
  return (
    <section className="card p-5" aria-labelledby="types">
      <h2 id="types">{t.metrics.conversions}</h2>
      <p className="label mb-3">{t.overview.conversionsAbout}</p>
      <table className="w-full">
        <thead>
          <tr className="label text-right">
            <th scope="col" className="py-1 text-left font-medium">
              {t.overview.kind}
            </th>
            <th scope="col" className="pl-3 font-medium">
              {t.metrics.conversions}
            </th>
            <th scope="col" className="pl-3 font-medium">
              {t.overview.share}
            </th>
          </tr>
        </thead>
        <tbody>
          {types.map(([type, conversions]) => (
            <tr key={type} className="border-line border-t text-right">
              <th scope="row" className="py-1.5 text-left font-normal">
                {words(type)}
              </th>
              <td className="pl-3">
                <Figure
                  of={{ ...explainedInOverview('attributed_outcome_count'), type }}
                  value={conversions}
                  currency={meta.currency}
                  about={words(type)}
                />
              </td>
              <td className="number pl-3 text-soft">{percent(all > 0 ? conversions / all : 0)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
