import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useMembership } from '../membership.ts';
import { Choice } from '../parts/choice.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { SetUpLink } from '../parts/set-up-link.tsx';
import { Empty, Loading, Problem, QueryResult } from '../parts/states.tsx';
import { useTitle } from '../parts/use-title.ts';
import { More } from '../people/more.tsx';
import { useReportScope } from '../report-scope.ts';
import { profileQuery } from '../queries.ts';
import { say } from '../messages/index.ts';
import { PaymentActions } from './payment-actions.tsx';
import { paymentColumns } from './payment-columns.tsx';
import { type PaymentChoice, paymentsQuery } from './queries.ts';

const filters = [
  { value: 'all', title: say.common.allOfThem },
  { value: 'counted', title: say.sales.onlyCounted },
  { value: 'not_counted', title: say.sales.onlyNotCounted },
  { value: 'unidentified', title: say.payments.payerUnknown },
] as const;

const emptyTitles: Readonly<Record<PaymentChoice, string>> = {
  all: say.payments.none,
  counted: say.payments.none,
  not_counted: say.sales.noneCounted,
  unidentified: say.payments.allKnown,
};

/** The payments of the period with their current state, newest first, and the actions on each. */
export function Payments() {
  useTitle(say.metrics.payments);
  const { scope } = useReportScope();
  const [filter, setFilter] = useState<PaymentChoice>('all');
  const profile = useQuery(profileQuery(scope.profileId));
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <h1>{say.metrics.payments}</h1>
        <Choice label={say.payments.which} value={filter} options={filters} onChange={setFilter} />
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
        {filter === 'all' && say.payments.noneAbout}
        {filter === 'all' && <SetUpLink />}
      </Empty>
    );
  return (
    <>
      <DataTable
        caption={say.payments.caption}
        columns={columns}
        rows={rows}
        keyOf={({ id }) => id}
        expanded={(payment) => payment.id === open && <PaymentActions payment={payment} timeZone={timeZone} />}
      />
      <More query={query} />
    </>
  );
}
