import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ExportEventStatus, exportEventStatuses } from '@tributary/vocabulary';
import { useState } from 'react';
import { connectionsQuery, exportPreviewQuery, exportRunsQuery } from '../data/queries.ts';
import { count, localMoment, money, words } from '../format.ts';
import { t } from '../messages/index.ts';
import type { Column } from '../parts/columns.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Page, State } from '../parts/page.tsx';
import { Empty, Loading, Problem, QueryResult } from '../parts/states.tsx';
import { More } from '../people/more.tsx';
import { useReportScope } from '../report-scope.ts';
import { ExportTargets } from './export-targets.tsx';

type Run = NonNullable<ReturnType<typeof useRuns>['data']>['pages'][number]['data'][number];
const useRuns = (profileId: string) => useInfiniteQuery(exportRunsQuery(profileId));

/** Outcomes exported to ad platforms: past runs, and a preview of the next one. */
export function Exports() {
  const { profileId } = useReportScope().scope;
  const runs = useRuns(profileId);
  return (
    <Page title={t.pages.exports} about={t.exports.about}>
      <div className="grid gap-5">
        <ExportTargets profileId={profileId} />
        {runs.isError ? (
          <Problem error={runs.error} again={() => void runs.refetch()} />
        ) : !runs.data ? (
          <Loading lines={5} />
        ) : runs.data.pages[0]?.data.length === 0 ? (
          <Empty title={t.exports.nothing}>{t.exports.setUpFirst}</Empty>
        ) : (
          <div>
            <DataTable
              caption={t.exports.caption}
              columns={columns}
              rows={runs.data.pages.flatMap((page) => page.data)}
              keyOf={({ id }) => id}
            />
            <More query={runs} />
          </div>
        )}
        <Preview profileId={profileId} />
      </div>
    </Page>
  );
}

type Settled = Exclude<ExportEventStatus, 'waiting' | 'processing'>;
/** The final statuses of the events of a run. */
const settled = exportEventStatuses.filter(
  (status): status is Settled => status !== 'waiting' && status !== 'processing',
);

const tones = { running: 'plain', completed: 'good', failed: 'bad' } as const;

const columns: Column<Run>[] = [
  {
    id: 'at',
    title: t.exports.run,
    value: ({ scheduled_at: at }) => at,
    cell: ({ scheduled_at: at, provider }) => (
      <>
        {localMoment(at)}
        <span className="label block">{words(provider)}</span>
      </>
    ),
  },
  {
    id: 'status',
    title: t.common.state,
    value: ({ status }) => status,
    cell: ({ status, reasons }) => (
      <>
        <State tone={tones[status]}>{words(status)}</State>
        {Object.entries(reasons).map(([reason, number]) => (
          <span key={reason} className="label block">
            {words(reason)}: {count(number)}
          </span>
        ))}
      </>
    ),
  },
  ...(['conversions', ...settled] as const).map(
    (field): Column<Run> => ({
      id: field,
      title: words(field),
      isNumber: true,
      value: (run) => run[field],
      cell: (run) => count(run[field]),
    }),
  ),
];

/** A dry run: which outcomes would be exported next, and which customer fields would go with them, without their values. */
function Preview({ profileId }: { readonly profileId: string }) {
  const connections = useQuery(connectionsQuery(profileId));
  const ads = connections.data?.filter(({ channel }) => channel.endsWith('_ads')) ?? [];
  const [chosen, choose] = useState<string>();
  if (ads.length === 0) return null;
  return (
    <section className="card p-5" aria-labelledby="next">
      <h2 id="next">{t.exports.next}</h2>
      <p className="label mb-3">{t.exports.dryRun}</p>
      <div className="flex flex-wrap gap-2">
        {ads.map(({ id, channel, account }) => (
          <button
            key={id}
            type="button"
            className="button"
            aria-expanded={chosen === id}
            onClick={() => choose(chosen === id ? undefined : id)}
          >
            {words(channel)}, {account.name}
          </button>
        ))}
      </div>
      {chosen && <WouldSend profileId={profileId} connectionId={chosen} />}
    </section>
  );
}

function WouldSend({ profileId, connectionId }: { readonly profileId: string; readonly connectionId: string }) {
  const preview = useQuery(exportPreviewQuery(profileId, connectionId));
  return (
    <div className="mt-3">
      <QueryResult query={preview} lines={3}>
        {(rows) =>
          rows.length === 0 ? (
            <p>{t.exports.nothingWaits}</p>
          ) : (
            <ul className="grid gap-2">
              {rows.map((row) => (
                <li key={row.event_id} className="border-line border-t pt-2">
                  {row.event_name}
                  {row.value && row.currency && <>, {money(row.value, row.currency)}</>}
                  <span className="label block">
                    {localMoment(row.occurred_at)}
                    {row.person_fields.length > 0 && t.exports.hashed(row.person_fields.join(', '))}
                    {row.click_ids.length > 0 && `, ${row.click_ids.join(', ')}`}
                  </span>
                  {row.refused_because && <span className="text-problem">{words(row.refused_because)}</span>}
                </li>
              ))}
            </ul>
          )
        }
      </QueryResult>
    </div>
  );
}
