import { useInfiniteQuery } from '@tanstack/react-query';
import { type SearchTerm, searchTermsQuery } from '../data/queries.ts';
import { count, day, percent, ratio } from '../format.ts';
import { t } from '../messages/index.ts';
import type { Column } from '../parts/columns.ts';
import { Page } from '../parts/page.tsx';
import { PagedTable } from '../parts/paged-table.tsx';
import { Empty } from '../parts/states.tsx';
import { useReportScope } from '../report-scope.ts';

/** The queries for which search engines showed the site: shown beside organic search, never credited. */
export function SearchTerms() {
  const terms = useInfiniteQuery(searchTermsQuery(useReportScope().scope));
  return (
    <Page title={t.pages.searchTerms} about={t.searchTerms.about}>
      <PagedTable
        query={terms}
        caption={t.searchTerms.caption}
        columns={columns}
        keyOf={({ day: of, connection_id: connection, query, page }) => [of, connection, query, page].join(' ')}
        empty={<Empty title={t.searchTerms.none}>{t.searchTerms.noneAbout}</Empty>}
      />
    </Page>
  );
}

const columns: Column<SearchTerm>[] = [
  {
    id: 'query',
    title: t.searchTerms.term,
    value: ({ query }) => query,
    cell: ({ query, page }) => (
      <>
        {query}
        <span className="label block break-all">{page}</span>
      </>
    ),
  },
  { id: 'day', title: t.common.day, value: ({ day: of }) => of, cell: ({ day: of }) => day(of) },
  {
    id: 'clicks',
    title: t.searchTerms.clicks,
    isNumber: true,
    value: ({ clicks }) => clicks,
    cell: ({ clicks }) => count(clicks),
  },
  {
    id: 'impressions',
    title: t.searchTerms.impressions,
    isNumber: true,
    value: ({ impressions }) => impressions,
    cell: ({ impressions }) => count(impressions),
  },
  {
    id: 'ctr',
    title: t.searchTerms.ctr,
    isNumber: true,
    value: ({ clicks, impressions }) => (impressions > 0 ? clicks / impressions : null),
    cell: ({ clicks, impressions }) => (impressions > 0 ? percent(clicks / impressions) : null),
  },
  {
    id: 'position',
    title: t.searchTerms.position,
    isNumber: true,
    value: ({ position }) => Number(position),
    cell: ({ position }) => ratio(position),
  },
];
