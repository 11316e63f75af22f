import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { localMoment, words } from '../format.ts';
import { t } from '../messages/index.ts';
import type { Column } from '../parts/columns.ts';
import { State } from '../parts/page.tsx';
import { PagedTable } from '../parts/paged-table.tsx';
import { useReportScope } from '../report-scope.ts';
import { type Receipt, receiptsQuery } from '../workspace/queries.ts';

/** All erasures. A receipt names the request, never the customer. */
export function ErasureReceipts() {
  const { scope, linkSearch } = useReportScope();
  const receipts = useInfiniteQuery(receiptsQuery(scope.profileId));
  const columns = useMemo((): Column<Receipt>[] => {
    const { profileId } = scope;
    return [
      {
        id: 'request',
        title: t.erasures.request,
        value: ({ request_ref: ref }) => ref,
        cell: ({ request_ref: ref, erasure_id: receipt }) => (
          <Link
            to="/p/$profileId/erasures"
            params={{ profileId }}
            search={{ ...linkSearch, receipt }}
            className="break-all text-accent hover:underline"
          >
            {ref}
          </Link>
        ),
      },
      {
        id: 'status',
        title: t.common.state,
        value: ({ status }) => status,
        cell: ({ status }) => <State tone={status === 'done' ? 'good' : 'plain'}>{words(status)}</State>,
      },
      { id: 'reason', title: t.erasures.reason, value: ({ reason }) => reason, cell: ({ reason }) => words(reason) },
      {
        id: 'asked',
        title: t.erasures.askedFor,
        value: ({ requested_at: at }) => at,
        cell: ({ requested_at: at }) => localMoment(at),
      },
    ];
  }, [scope, linkSearch]);
  return (
    <section className="mt-6" aria-labelledby="receipts">
      <h2 id="receipts" className="mb-2">
        {t.erasures.receipts}
      </h2>
      <PagedTable
        query={receipts}
        caption={t.erasures.caption}
        columns={columns}
        keyOf={({ erasure_id: id }) => id}
        empty={<p className="label">{t.erasures.none}</p>}
      />
    </section>
  );
}
