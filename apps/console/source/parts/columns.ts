import {
  type ColumnDef,
  createSortedRowModel,
  type RowData,
  rowSortingFeature,
  sortFn_alphanumeric,
  sortFn_text,
  tableFeatures,
} from '@tanstack/react-table';
import type { ReactNode } from 'react';

export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  readonly isNumber?: boolean;
  /** What the column says and how it is worked out. */
  readonly about?: string;
  /** Shown to whoever chooses it. */
  readonly isExtra?: boolean;
  /** What the column is sorted by. Nothing comes last, whichever way round. */
  readonly value: (row: Row) => number | string | null;
  readonly cell: (row: Row) => ReactNode;
}

export interface FooterRow {
  readonly id: string;
  readonly title: ReactNode;
  /** By the column's id. */
  readonly cells: Readonly<Record<string, ReactNode>>;
  readonly isTotal?: boolean;
  readonly expanded?: ReactNode;
}

export const sortable = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { alphanumeric: sortFn_alphanumeric, text: sortFn_text },
});

export const toTableColumns = <Row extends RowData>(
  columns: readonly Column<Row>[],
): ColumnDef<typeof sortable, Row>[] =>
  columns.map(({ id, value }) => ({ id, accessorFn: (row) => value(row) ?? undefined, sortUndefined: 'last' }));
