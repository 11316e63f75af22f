import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import { changeTitle } from '../ads/change-title.ts';
import { type AdAction, appliedChangesQuery } from '../ads/queries.ts';
import { count, dayIn, longDay, money, ratio, shortMoney } from '../format.ts';
import { t } from '../messages/index.ts';
import { Choice } from '../parts/choice.tsx';
import { Figure } from '../parts/figure.tsx';
import type { TrendChartProps } from '../parts/trend-chart.tsx';
import type { OverviewAnswer } from '../queries.ts';
import { useReportScope } from '../report-scope.ts';
import { sharedLink } from '../shared-link.ts';
import { explainedInOverview } from './explained.ts';

const TrendChart = lazy(() => import('../parts/trend-chart.tsx'));

type Day = OverviewAnswer['data']['days'][number];
type View = 'money' | 'roas' | 'conversions';

const views = [
  { value: 'money', title: t.overview.money },
  { value: 'roas', title: t.metrics.blendedRoas },
  { value: 'conversions', title: t.metrics.conversions },
] as const;

interface TrendProps {
  readonly days: readonly Day[];
  /** The days of the compared period, in the same order. */
  readonly before: readonly Day[] | undefined;
  readonly currency: string;
  readonly timeZone: string;
}

/** The daily trend as a chart and as a table with the same numbers. */
export function Trend({ days, before, currency, timeZone }: TrendProps) {
  const [view, setView] = useState<View>('money');
  const { profileId } = useReportScope().scope;
  const { data: changes } = useQuery({ ...appliedChangesQuery(profileId), enabled: !sharedLink() });
  const notes = useMemo(() => notesOf(changes ?? [], days, timeZone), [changes, days, timeZone]);
  const chart = useMemo(
    () => ({ ...chartOf(view, days, before, currency), notes }),
    [view, days, before, currency, notes],
  );
  return (
    <section className="card p-5" aria-labelledby="trend">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <h2 id="trend">{t.overview.dayByDay}</h2>
        <Choice label={t.overview.whatShown} value={view} options={views} onChange={setView} />
      </div>
      <Suspense fallback={<div className="h-72 animate-pulse rounded bg-tint motion-reduce:animate-none" />}>
        <TrendChart {...chart} />
      </Suspense>
      <Notes notes={notes} />
      <details className="mt-3">
        <summary className="cursor-pointer text-accent">{t.overview.asTable}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <section aria-label={t.overview.dayTable} tabIndex={0} className="mt-2 max-h-96 overflow-auto">
          <DayTable days={days} currency={currency} />
        </section>
      </details>
    </section>
  );
}

/** The changes made at the platforms, by date. */
function notesOf(
  changes: readonly AdAction[],
  days: readonly Day[],
  timeZone: string,
): Readonly<Record<string, readonly string[]>> {
  const shown = new Set(days.map(({ date }) => date));
  const inSight = changes.flatMap((change) => {
    const date = dayIn(change.created_at, timeZone);
    return shown.has(date) ? [{ date, text: changeTitle(change) }] : [];
  });
  const byDay = Map.groupBy(inSight, ({ date }) => date);
  return Object.fromEntries([...byDay].map(([date, found]) => [date, found.map(({ text }) => text)]));
}

/** The annotations of the chart as text. */
function Notes({ notes }: { readonly notes: Readonly<Record<string, readonly string[]>> }) {
  const all = Object.entries(notes).toSorted(([a], [b]) => (a < b ? 1 : -1));
  if (all.length === 0) return null;
  return (
    <details className="mt-3">
      <summary className="cursor-pointer text-accent">{t.overview.changes}</summary>
      <ul aria-label={t.overview.changes} className="mt-2 grid gap-1">
        {all.map(([date, texts]) => (
          <li key={date}>
            <span className="label mr-2">{longDay(date)}</span>
            {texts.join('; ')}
          </li>
        ))}
      </ul>
    </details>
  );
}

const roasOf = ({ spend, outcome_value: value }: Day): number | null =>
  spend !== null && value !== null && spend > 0 ? value / spend : null;

function chartOf(
  view: View,
  days: readonly Day[],
  before: readonly Day[] | undefined,
  currency: string,
): TrendChartProps {
  const dates = days.map(({ date }) => date);
  if (view === 'roas')
    return {
      label: t.overview.roasByDay,
      days: dates,
      format: ratio,
      series: [{ name: t.metrics.blendedRoas, kind: 'line', colour: 'accent', values: days.map(roasOf) }],
    };
  if (view === 'conversions')
    return {
      label: t.overview.conversionsByDay,
      days: dates,
      format: count,
      series: [
        {
          name: t.metrics.conversions,
          kind: 'bar',
          colour: 'other',
          values: days.map(({ attributed_outcome_count: conversions }) => conversions),
        },
        {
          name: t.metrics.payments,
          kind: 'bar',
          colour: 'accent',
          values: days.map(({ outcome_count: payments }) => payments),
        },
      ],
    };
  return {
    label: t.overview.moneyByDay,
    days: dates,
    format: (value) => money(value, currency),
    axis: (value) => shortMoney(value, currency),
    series: [
      {
        name: t.metrics.revenue,
        kind: 'line',
        colour: 'accent',
        values: days.map(({ outcome_value: value }) => value),
      },
      { name: t.metrics.spend, kind: 'line', colour: 'other', values: days.map(({ spend }) => spend) },
      ...(before
        ? [
            {
              name: t.overview.revenueBefore,
              kind: 'line',
              colour: 'accent',
              isBefore: true,
              values: days.map((_, index) => before[index]?.outcome_value ?? null),
            } as const,
          ]
        : []),
    ],
  };
}

const dayFields = ['outcome_value', 'spend', 'roas', 'outcome_count', 'attributed_outcome_count'] as const;

function DayTable({ days, currency }: { readonly days: readonly Day[]; readonly currency: string }) {
  return (
    <table className="w-full text-right">
      <thead>
        <tr className="label sticky top-0 bg-paper">
          {[
            t.common.day,
            t.metrics.revenue,
            t.metrics.spend,
            t.metrics.blendedRoas,
            t.metrics.payments,
            t.metrics.conversions,
          ].map((title) => (
            <th key={title} scope="col" className="px-2 py-1 font-medium first:pl-0 first:text-left">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {days.map((day) => (
          <tr key={day.date} className="border-line border-t">
            <th scope="row" className="number py-1 text-left font-normal">
              {longDay(day.date)}
            </th>
            {dayFields.map((field) => (
              <td key={field} className="px-2">
                <Figure
                  of={{ ...explainedInOverview(field), days: { from: day.date, to: day.date } }}
                  value={field === 'roas' ? roasOf(day) : day[field]}
                  currency={currency}
                  about={longDay(day.date)}
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
