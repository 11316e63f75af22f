import { useQuery } from '@tanstack/react-query';
import { count, money, nothing } from '../format.ts';
import { t } from '../messages/index.ts';
import { AttributionWindow } from '../parts/attribution-window.tsx';
import type { Column } from '../parts/columns.ts';
import { DataTable } from '../parts/data-table.tsx';
import { SetUpLink } from '../parts/set-up-link.tsx';
import { Empty, QueryResult } from '../parts/states.tsx';
import { useTitle } from '../parts/use-title.ts';
import { type CohortRow, cohortsQuery, maxRows } from '../queries.ts';
import { useReportScope } from '../report-scope.ts';

/** Cohorts by month of first payment: cumulative revenue per month, and the payback period of the acquisition cost. */
export function Cohorts() {
  useTitle(t.pages.cohorts);
  const { scope, model } = useReportScope();
  const cohorts = useQuery(cohortsQuery(scope, model));
  return (
    <>
      <div className="mb-4">
        <h1>{t.pages.cohorts}</h1>
        <AttributionWindow />
      </div>
      <QueryResult query={cohorts} lines={10}>
        {({ rows, currency, isCut }) =>
          rows.length === 0 ? (
            <Empty title={t.cohorts.nobody}>
              <SetUpLink />
            </Empty>
          ) : (
            <>
              <DataTable
                caption={t.cohorts.caption}
                columns={columnsOf(rows, currency)}
                rows={rows}
                keyOf={({ month, entity_id: id }) => `${month} ${id}`}
                hasFind
              />
              {isCut && <p className="label mt-3">{t.cohorts.firstRows(maxRows)}</p>}
              <p className="label mt-4 max-w-prose">{t.cohorts.about}</p>
            </>
          )
        }
      </QueryResult>
    </>
  );
}

function columnsOf(rows: readonly CohortRow[], currency: string): Column<CohortRow>[] {
  const longest = Math.max(...rows.flatMap(({ month, months }) => months.map((one) => between(month, one.month))));
  return [
    {
      id: 'name',
      title: t.cohorts.acquiredBy,
      value: ({ name }) => name ?? t.cohorts.noCampaign,
      cell: ({ month, name }) => (
        <>
          {name ?? t.cohorts.noCampaign} <span className="label block">{month}</span>
        </>
      ),
    },
    number('customers', t.pages.customers, ({ customers }) => customers, count),
    number(
      'value',
      t.cohorts.paidSoFar,
      ({ value }) => Number(value),
      (value) => money(value, currency),
    ),
    number(
      'spend',
      t.cohorts.cost,
      ({ spend }) => (spend === null ? null : Number(spend)),
      (value) => money(value, currency),
    ),
    {
      ...number('payback', t.cohorts.paidBack, (row) => row.payback_months, count),
      cell: ({ spend, payback_months: months }) => <span className="number">{paybackOf(spend, months)}</span>,
    },
    ...Array.from({ length: Math.min(longest, maxMonths - 1) + 1 }, (_, nth) =>
      number(
        `month-${nth}`,
        nth === 0 ? t.cohorts.firstMonth : `+${nth}`,
        ({ month, months }) => Number(months.find((one) => between(month, one.month) === nth)?.value ?? 0),
        (value) => money(value, currency),
      ),
    ),
  ];
}

/** Limits the columns to the width of a screen. */
const maxMonths = 13;

const number = (
  id: string,
  title: string,
  value: (row: CohortRow) => number | null,
  show: (value: number | null) => string,
): Column<CohortRow> => ({
  id,
  title,
  isNumber: true,
  value,
  cell: (row) => <span className="number">{show(value(row))}</span>,
});

function paybackOf(spend: string | null, months: number | null): string {
  if (spend === null || Number(spend) === 0) return nothing;
  if (months === null) return t.cohorts.notYet;
  return months === 0 ? t.cohorts.sameMonth : t.cohorts.months(months, count(months));
}

function between(from: string, to: string): number {
  const of = (month: string) => Number(month.slice(0, 4)) * 12 + Number(month.slice(5));
  return of(to) - of(from);
}
