import type { RowData } from '@tanstack/react-table';
import type { ReactNode } from 'react';
import { More } from '../people/more.tsx';
import type { Column } from './columns.ts';
import { DataTable } from './data-table.tsx';
import { Loading, Problem } from './states.tsx';

interface PagedTableProps<Row> {
  readonly query: {
    readonly isError: boolean;
    readonly error: Error | null;
    readonly data: { readonly pages: readonly { readonly data: readonly Row[] }[] } | undefined;
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    refetch(): Promise<unknown>;
    fetchNextPage(): Promise<unknown>;
  };
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  /** Shown when there are no rows. */
  readonly empty: ReactNode;
}

/** A list that the API returns in pages. */
export function PagedTable<Row extends RowData>({ query, caption, columns, keyOf, empty }: PagedTableProps<Row>) {
  if (query.isError && query.error) return <Problem error={query.error} again={() => void query.refetch()} />;
  if (!query.data) return <Loading lines={6} />;
  const rows = query.data.pages.flatMap((page) => page.data);
  if (rows.length === 0) return empty;
  return (
    <div>
      <DataTable caption={caption} columns={columns} rows={rows} keyOf={keyOf} />
      <More query={query} />
    </div>
  );
}
