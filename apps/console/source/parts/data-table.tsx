import { useNavigate, useSearch } from '@tanstack/react-router';
import { type OnChangeFn, type RowData, type SortingState, useTable } from '@tanstack/react-table';
import { Fragment, type ReactNode, useMemo, useState } from 'react';
import { t } from '../messages/index.ts';
import { ColumnChooser, useChosenColumns } from './column-chooser.tsx';
import { type Column, type FooterRow, sortable, toTableColumns } from './columns.ts';
import { type CsvOptions, csvOf, fileNameOf, saveFile } from './csv.ts';
import { Cards } from './data-cards.tsx';
import { CanFilter, type Filter, FilterPickers, useFiltered } from './filters.tsx';
import { useIsNarrow } from './use-is-narrow.ts';

interface DataTableProps<Row> {
  /** Describes the table to screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Summary rows such as a total, in the same columns. */
  readonly footer?: readonly FooterRow[];
  /** The content that expands under a row, if any. */
  readonly expanded?: (row: Row) => ReactNode;
  /** Whether rows can be searched by name. The search is part of the URL, so tables of customers must not enable it. */
  readonly hasFind?: boolean;
  /** The filters of the rows; must be a stable reference while the table is mounted. */
  readonly filters?: readonly Filter<Row>[];
  /** Additions to the CSV file, or a replacement of its content. */
  readonly csv?: CsvOptions<Row>;
}

/** The sorted column and direction, stored in the URL. */
function useSorting<Row>(columns: readonly Column<Row>[]): [SortingState, OnChangeFn<SortingState>] {
  const { sort } = useSearch({ strict: false });
  const navigate = useNavigate();
  const [sorting, setSorting] = useState<SortingState>(() => {
    const id = sort?.replace(/^-/, '');
    return id && columns.some((column) => column.id === id) ? [{ id, desc: sort?.startsWith('-') ?? false }] : [];
  });
  return [
    sorting,
    (updater) => {
      const next = typeof updater === 'function' ? updater(sorting) : updater;
      setSorting(next);
      const [first] = next;
      const written = first && `${first.desc ? '-' : ''}${first.id}`;
      void navigate({ to: '.', search: (before) => ({ ...before, sort: written }), replace: true, resetScroll: false });
    },
  ];
}

function useFind(): [string, (text: string) => void] {
  const { find } = useSearch({ strict: false });
  const navigate = useNavigate();
  const [text, setText] = useState(find ?? '');
  return [
    text,
    (next) => {
      setText(next);
      const written = next || undefined;
      void navigate({ to: '.', search: (before) => ({ ...before, find: written }), replace: true, resetScroll: false });
    },
  ];
}

const contains = (name: number | string | null | undefined, find: string): boolean =>
  String(name ?? '')
    .toLowerCase()
    .includes(find.trim().toLowerCase());

const none: readonly never[] = [];

/** A sortable table; on a narrow screen a card per row. The first column names the row. */
export function DataTable<Row extends RowData>({
  caption,
  columns: offered,
  rows,
  keyOf,
  footer = [],
  expanded,
  hasFind = false,
  filters = none,
  csv,
}: DataTableProps<Row>) {
  const [columns, chosen, toggleColumn] = useChosenColumns(offered);
  const [sorting, setSorting] = useSorting(columns);
  const [find, setFind] = useFind();
  const named = columns[0]?.value;
  const filtered = useFiltered(rows, filters);
  const visibleRows = useMemo(
    () => (hasFind && find ? filtered.filter((row) => contains(named?.(row), find)) : filtered),
    [filtered, named, find, hasFind],
  );
  const isNarrow = useIsNarrow();
  const tableColumns = useMemo(() => toTableColumns(columns), [columns]);
  const table = useTable({
    features: sortable,
    columns: tableColumns,
    data: visibleRows,
    getRowId: keyOf,
    state: { sorting },
    onSortingChange: setSorting,
  });
  const sorted = table.getRowModel().rows.map(({ original }) => original);
  const [sort] = sorting;
  const sortBy = (id: string) => {
    const isNumber = columns.find((column) => column.id === id)?.isNumber ?? false;
    setSorting([{ id, desc: sort?.id === id ? !sort.desc : isNumber }]);
  };
  const tools = (
    <div className="mb-2 flex flex-wrap items-center justify-end gap-2">
      {hasFind && (
        <input
          type="search"
          aria-label={t.table.find}
          placeholder={t.table.find}
          className="field w-48"
          value={find}
          onChange={({ target }) => setFind(target.value)}
        />
      )}
      <FilterPickers rows={rows} filters={filters} />
      <ColumnChooser columns={offered} chosen={chosen} toggle={toggleColumn} />
      <button
        type="button"
        className="button"
        aria-label={t.table.csvOf(caption)}
        onClick={() =>
          saveFile(
            fileNameOf(csv?.name ?? caption),
            csvOf(csv?.columns ?? columns, [...sorted, ...(csv?.totals ?? [])]),
          )
        }
      >
        CSV
      </button>
    </div>
  );
  if (isNarrow)
    return (
      <CanFilter value={filters.length > 0}>
        {tools}
        <Cards
          caption={caption}
          columns={columns}
          rows={sorted}
          keyOf={keyOf}
          footer={footer}
          expanded={expanded}
          sortedBy={sort?.id}
          sortBy={sortBy}
        />
      </CanFilter>
    );
  return (
    <CanFilter value={filters.length > 0}>
      {tools}
      <div className="card overflow-x-auto">
        <table className="w-full border-collapse text-left">
          <caption className="sr-only">{caption}</caption>
          <thead>
            <tr className="border-line border-b">
              {columns.map(({ id, title, isNumber, about }) => (
                <th
                  key={id}
                  scope="col"
                  aria-sort={sort?.id === id ? (sort.desc ? 'descending' : 'ascending') : 'none'}
                  className={`px-3 py-2 align-bottom first:sticky first:left-0 first:bg-paper first:pl-5 last:pr-5 ${isNumber ? 'text-right' : ''}`}
                >
                  <button
                    type="button"
                    className={`label font-medium hover:text-ink ${isNumber ? 'text-right' : 'text-left'}`}
                    onClick={() => sortBy(id)}
                    {...(about && { title: about, 'aria-description': about })}
                  >
                    {/* Before the title, so that titles and numbers align at the right. */}
                    {sort?.id === id && (
                      <span aria-hidden="true" className="mr-1 text-accent">
                        {sort.desc ? '↓' : '↑'}
                      </span>
                    )}
                    {title}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sorted.map((row) => {
              const opened = expanded?.(row);
              return (
                <Fragment key={keyOf(row)}>
                  <tr className="border-line border-t bg-paper first:border-t-0 hover:bg-tint">
                    {columns.map((column, index) => (
                      <Cell key={column.id} isHead={index === 0} isNumber={column.isNumber ?? false}>
                        {column.cell(row)}
                      </Cell>
                    ))}
                  </tr>
                  {opened && (
                    <tr className="bg-tint">
                      <td colSpan={columns.length} className="px-5 pt-1 pb-4">
                        {opened}
                      </td>
                    </tr>
                  )}
                </Fragment>
              );
            })}
          </tbody>
          {footer.length > 0 && (
            <tfoot className="border-line border-t-2">
              {footer.map((foot) => (
                <Fragment key={foot.id}>
                  <tr className={`bg-paper ${foot.isTotal ? 'border-line border-t font-semibold' : ''}`}>
                    {columns.map((column, index) => (
                      <Cell
                        key={column.id}
                        isHead={index === 0}
                        isNumber={column.isNumber ?? false}
                        isTotal={foot.isTotal ?? false}
                      >
                        {index === 0 ? foot.title : foot.cells[column.id]}
                      </Cell>
                    ))}
                  </tr>
                  {foot.expanded && (
                    <tr className="bg-tint">
                      <td colSpan={columns.length} className="px-5 pt-1 pb-4">
                        {foot.expanded}
                      </td>
                    </tr>
                  )}
                </Fragment>
              ))}
            </tfoot>
          )}
        </table>
      </div>
    </CanFilter>
  );
}

function Cell({
  isHead,
  isNumber,
  isTotal = false,
  children,
}: {
  readonly isHead: boolean;
  readonly isNumber: boolean;
  readonly isTotal?: boolean;
  readonly children: ReactNode;
}) {
  const classes = `px-3 py-2.5 align-top first:pl-5 last:pr-5 ${isNumber ? 'number text-right' : ''}`;
  if (!isHead) return <td className={classes}>{children}</td>;
  return (
    <th
      scope="row"
      className={`${classes} sticky left-0 min-w-44 bg-inherit ${isTotal ? 'font-semibold' : 'font-normal'}`}
    >
      {children}
    </th>
  );
}
