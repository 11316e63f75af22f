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
  /** The definition and formula of the column. */
  readonly about?: string;
  /** Hidden unless the reader selects it. */
  readonly isExtra?: boolean;
  /** The sort value. Null sorts last in both directions. */
  readonly value: (row: Row) => number | string | null;
  readonly cell: (row: Row) => ReactNode;
}

export interface FooterRow {
  readonly id: string;
  readonly title: ReactNode;
  /** By column id. */
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
