import { useQuery } from '@tanstack/react-query';
import { count, money } from '../format.ts';
import type { Column } from '../parts/columns.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Answered, Empty } from '../parts/states.tsx';
import { useTitle } from '../parts/use-title.ts';
import { usePlace } from '../place.ts';
import { type CohortRow, cohortsQuery, mostRows } from '../queries.ts';

/** What those who first paid in the chosen days have paid since, month by month, and when that covered what it cost to win them. */
export function Cohorts() {
  useTitle('Cohorts');
  const { place, model } = usePlace();
  const cohorts = useQuery(cohortsQuery(place, model));
  return (
    <>
      <h1 className="mb-4">Cohorts</h1>
      <Answered query={cohorts} lines={10}>
        {({ rows, currency, isCut }) =>
          rows.length === 0 ? (
            <Empty title="Nobody first paid in these days" />
          ) : (
            <>
              <DataTable
                caption="What those acquired in a month have paid since"
                columns={columnsOf(rows, currency)}
                rows={rows}
                keyOf={({ month, entity_id: id }) => `${month} ${id}`}
                hasFind
              />
              {isCut && <p className="label mt-3">These are the first {mostRows}. There are more.</p>}
              <p className="label mt-4 max-w-prose">
                A customer belongs to the month and the campaign of their first payment; every payment is in one row, so
                the rows add up to all payments. Paid back: months until what they paid covered what the campaign cost
                in that month.
              </p>
            </>
          )
        }
      </Answered>
    </>
  );
}

function columnsOf(rows: readonly CohortRow[], currency: string): Column<CohortRow>[] {
  const longest = Math.max(...rows.flatMap(({ month, months }) => months.map((one) => between(month, one.month))));
  return [
    {
      id: 'name',
      title: 'Acquired by',
      value: ({ name }) => name ?? 'No campaign',
      cell: ({ month, name }) => (
        <>
          {name ?? 'No campaign'} <span className="label block">{month}</span>
        </>
      ),
    },
    number('customers', 'Customers', ({ customers }) => customers, count),
    number(
      'value',
      'Paid so far',
      ({ value }) => Number(value),
      (value) => money(value, currency),
    ),
    number(
      'spend',
      'Cost',
      ({ spend }) => (spend === null ? null : Number(spend)),
      (value) => money(value, currency),
    ),
    {
      ...number('payback', 'Paid back after', (row) => row.payback_months, count),
      cell: ({ spend, payback_months: months }) => <span className="number">{paybackOf(spend, months)}</span>,
    },
    ...Array.from({ length: Math.min(longest, mostMonths - 1) + 1 }, (_, nth) =>
      number(
        `month-${nth}`,
        nth === 0 ? 'First month' : `+${nth}`,
        ({ month, months }) => Number(months.find((one) => between(month, one.month) === nth)?.value ?? 0),
        (value) => money(value, currency),
      ),
    ),
  ];
}

/** More columns than a screen has. */
const mostMonths = 13;

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
  if (spend === null || Number(spend) === 0) return '–';
  if (months === null) return 'not yet';
  return months === 0 ? 'the same month' : `${months} ${months === 1 ? 'month' : 'months'}`;
}

function between(from: string, to: string): number {
  const of = (month: string) => Number(month.slice(0, 4)) * 12 + Number(month.slice(5));
  return of(to) - of(from);
}
