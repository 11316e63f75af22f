import { useQuery } from '@tanstack/react-query';
import { ago, count, day, percent, words } from '../format.ts';
import { t } from '../messages/index.ts';
import { Alerts } from '../parts/alerts.tsx';
import type { Column } from '../parts/columns.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Page, State } from '../parts/page.tsx';
import { SetUpLink } from '../parts/set-up-link.tsx';
import { Empty, QueryResult } from '../parts/states.tsx';
import { useReportScope } from '../report-scope.ts';
import { qualityQuery } from './queries.ts';

type Quality = NonNullable<ReturnType<typeof useQuality>['data']>;
type Day = Quality['days'][number];
const useQuality = () => useQuery({ ...qualityQuery(useReportScope().scope), staleTime: 0 });

/** Whether tracking is receiving data: visits by day and status. */
export function Tracking() {
  const quality = useQuality();
  return (
    <Page title={t.pages.tracking} about={t.tracking.about}>
      <Alerts />
      <QueryResult query={quality}>{(found) => <Figures quality={found} />}</QueryResult>
    </Page>
  );
}

function Figures({
  quality: { total, last_visit_at: last, silent_since: silent, days },
}: {
  readonly quality: Quality;
}) {
  const isAlive = last !== null && silent === null;
  return (
    <div className="grid gap-5">
      <section className="card flex flex-wrap items-center gap-3 p-5" aria-label={t.tracking.isAlive}>
        <State tone={isAlive ? 'good' : 'bad'}>
          {isAlive ? t.tracking.alive : last ? t.tracking.silent : t.tracking.noVisit}
        </State>
        {last && <span>{t.tracking.lastVisit(ago(last))}</span>}
      </section>
      <dl className="grid grid-cols-2 gap-3 md:grid-cols-5">
        {tiles.map(({ field, title, about }) => (
          <div key={field} className="card p-4" title={about}>
            <dt className="label">{title}</dt>
            <dd className="number font-semibold text-title">{count(total[field])}</dd>
            <dd className="label">
              {total.accepted > 0 && field !== 'accepted' && percent(total[field] / total.accepted)}
            </dd>
          </div>
        ))}
      </dl>
      {[total.bad_by_reason, total.refused_by_reason].some((reasons) => Object.keys(reasons).length > 0) && (
        <section className="card p-5" aria-labelledby="why">
          <h2 id="why">{t.tracking.whyNot}</h2>
          <ul className="mt-2 grid gap-1">
            {Object.entries({ ...total.bad_by_reason, ...total.refused_by_reason }).map(([reason, number]) => (
              <li key={reason} className="flex justify-between gap-4 border-line border-t pt-1">
                {words(reason)} <span className="number">{count(number)}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {total.accepted + total.bad + total.refused === 0 ? (
        <Empty title={t.tracking.nothing}>
          {t.tracking.putTracker}
          <SetUpLink />
        </Empty>
      ) : (
        <DataTable caption={t.tracking.byDay} columns={columns} rows={days} keyOf={({ date }) => date} />
      )}
    </div>
  );
}

const tiles = [
  { field: 'accepted', title: t.tracking.visits, about: t.tracking.visitsAbout },
  { field: 'bots', title: t.tracking.bots, about: t.tracking.botsAbout },
  { field: 'unmatched', title: t.tracking.unmatched, about: t.tracking.unmatchedAbout },
  { field: 'bad', title: t.tracking.bad, about: t.tracking.badAbout },
  { field: 'refused', title: t.tracking.refused, about: t.tracking.refusedAbout },
] as const;

const columns: Column<Day>[] = [
  { id: 'date', title: t.common.day, value: ({ date }) => date, cell: ({ date }) => day(date) },
  ...tiles.map(
    ({ field, title }): Column<Day> => ({
      id: field,
      title,
      isNumber: true,
      value: (row) => row[field],
      cell: (row) => count(row[field]),
    }),
  ),
];
