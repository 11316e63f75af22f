import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useMembership } from '../membership.ts';
import { t } from '../messages/index.ts';
import { Choice } from '../parts/choice.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { SetUpLink } from '../parts/set-up-link.tsx';
import { Empty, Loading, Problem, QueryResult } from '../parts/states.tsx';
import { useTitle } from '../parts/use-title.ts';
import { More } from '../people/more.tsx';
import { profileQuery } from '../queries.ts';
import { useReportScope } from '../report-scope.ts';
import { PaymentActions } from './payment-actions.tsx';
import { paymentColumns } from './payment-columns.tsx';
import { type PaymentChoice, paymentsQuery } from './queries.ts';

const filters = [
  { value: 'all', title: t.common.allOfThem },
  { value: 'counted', title: t.sales.onlyCounted },
  { value: 'not_counted', title: t.sales.onlyNotCounted },
  { value: 'unidentified', title: t.payments.payerUnknown },
] as const;

const emptyTitles: Readonly<Record<PaymentChoice, string>> = {
  all: t.payments.none,
  counted: t.payments.none,
  not_counted: t.sales.noneCounted,
  unidentified: t.payments.allKnown,
};

/** The payments of the period with their current state, newest first, and the actions on each. */
export function Payments() {
  useTitle(t.metrics.payments);
  const { scope } = useReportScope();
  const [filter, setFilter] = useState<PaymentChoice>('all');
  const profile = useQuery(profileQuery(scope.profileId));
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <h1>{t.metrics.payments}</h1>
        <Choice label={t.payments.which} value={filter} options={filters} onChange={setFilter} />
      </div>
      <QueryResult query={profile}>
        {({ time_zone: timeZone }) => <Rows filter={filter} timeZone={timeZone} />}
      </QueryResult>
    </>
  );
}

function Rows({ filter, timeZone }: { readonly filter: PaymentChoice; readonly timeZone: string }) {
  const { scope } = useReportScope();
  const { mayWrite } = useMembership();
  const [open, setOpen] = useState<string>();
  const query = useInfiniteQuery(paymentsQuery(scope, filter));
  const columns = useMemo(
    () => paymentColumns({ timeZone, mayWrite, open, toggle: (id) => setOpen((now) => (now === id ? undefined : id)) }),
    [timeZone, mayWrite, open],
  );
  if (query.isError) return <Problem error={query.error} again={() => void query.refetch()} />;
  if (!query.data) return <Loading lines={10} />;
  const rows = query.data.pages.flatMap((page) => page.data);
  if (rows.length === 0)
    return (
      <Empty title={emptyTitles[filter]}>
        {filter === 'all' && t.payments.noneAbout}
        {filter === 'all' && <SetUpLink />}
      </Empty>
    );
  return (
    <>
      <DataTable
        caption={t.payments.caption}
        columns={columns}
        rows={rows}
        keyOf={({ id }) => id}
        expanded={(payment) => payment.id === open && <PaymentActions payment={payment} timeZone={timeZone} />}
      />
      <More query={query} />
    </>
  );
}
