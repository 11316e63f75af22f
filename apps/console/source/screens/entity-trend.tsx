import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ResponseOf, Routes } from '@tributary/sdk';
import { type DeliveryColumn, deliveryColumns } from '@tributary/vocabulary';
import { lazy, Suspense, useMemo, useState } from 'react';
import { clientFor } from '../client.ts';
import { fields, formatFigure } from '../fields.ts';
import { longDay, shortMoney } from '../format.ts';
import { t } from '../messages/index.ts';
import { Choice } from '../parts/choice.tsx';
import { Figure } from '../parts/figure.tsx';
import { QueryResult } from '../parts/states.tsx';
import { keyOf, type ReportScope, reportOf } from '../queries.ts';
import { useReportScope } from '../report-scope.ts';
import type { Level } from '../search.ts';

const TrendChart = lazy(() => import('../parts/trend-chart.tsx'));

type TrendRow = ResponseOf<Routes['readCampaignTrend']>['data'][number];
/** The columns that every platform reports daily. */
type Shown = DeliveryColumn & keyof TrendRow;
const shown = (Object.keys(deliveryColumns) as Shown[]).filter((column) => deliveryColumns[column].isAlwaysTold);
const choices = shown.map((value) => ({ value, title: fields[value].title }));

const trendQuery = (scope: ReportScope, id: string, level: Level) =>
  queryOptions({
    queryKey: ['trend', ...keyOf(scope), id, level],
    queryFn: async ({ signal }) => {
      const query = { ...reportOf(scope), level, entity_ids: id };
      return (await clientFor(scope.profileId).readCampaignTrend({ query, signal })).data;
    },
  });

interface EntityTrendProps {
  readonly entity: string;
  readonly level: Level;
  readonly currency: string;
  readonly about: string;
}

/** The daily delivery and cost of a campaign, ad set or ad. */
export function EntityTrend({ entity, level, currency, about }: EntityTrendProps) {
  const { scope } = useReportScope();
  const query = useQuery(trendQuery(scope, entity, level));
  const [field, setField] = useState<Shown>('spend');
  return (
    <section aria-label={t.campaigns.trendOf(about)} className="mb-3">
      <div className="flex flex-wrap items-center justify-between gap-3 pt-2">
        <span className="label">{t.campaigns.trendOf(about)}</span>
        <Choice label={t.overview.whatShown} value={field} options={choices} onChange={setField} />
      </div>
      <QueryResult query={query} lines={4}>
        {(rows) => <Days rows={rows} field={field} entity={entity} level={level} currency={currency} about={about} />}
      </QueryResult>
    </section>
  );
}

interface DaysProps extends EntityTrendProps {
  readonly rows: readonly TrendRow[];
  readonly field: Shown;
}

/** A chart, and a table with the same numbers. */
function Days({ rows, field, entity, level, currency, about }: DaysProps) {
  const { model } = useReportScope();
  const chart = useMemo(
    () => ({
      label: t.campaigns.trendOf(about),
      days: rows.map(({ date }) => date),
      format: (value: number | null) => formatFigure(field, value, currency),
      ...(field === 'spend' && { axis: (value: number) => shortMoney(value, currency) }),
      series: [
        { name: fields[field].title, kind: 'line', colour: 'accent', values: rows.map((row) => row[field]) } as const,
      ],
    }),
    [rows, field, currency, about],
  );
  return (
    <>
      <Suspense fallback={<div className="h-72" />}>
        <TrendChart {...chart} />
      </Suspense>
      <details>
        <summary className="cursor-pointer text-accent">{t.overview.asTable}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <section aria-label={t.overview.dayTable} tabIndex={0} className="mt-2 max-h-96 overflow-auto">
          <table className="w-full max-w-3xl text-right">
            <thead>
              <tr className="label sticky top-0 bg-paper">
                <th scope="col" className="py-1 text-left font-medium">
                  {t.common.day}
                </th>
                {choices.map(({ value, title }) => (
                  <th key={value} scope="col" className="pl-4 font-medium">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.date} className="border-line border-t">
                  <th scope="row" className="number py-1 text-left font-normal">
                    {longDay(row.date)}
                  </th>
                  {shown.map((one) => (
                    <td key={one} className="pl-4">
                      <Figure
                        of={{
                          report: 'campaigns',
                          field: one,
                          entity,
                          level,
                          model,
                          days: { from: row.date, to: row.date },
                        }}
                        value={row[one]}
                        currency={currency}
                        about={`${about}, ${longDay(row.date)}`}
                      />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </>
  );
}
