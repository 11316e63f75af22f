import { useNavigate, useSearch } from '@tanstack/react-router';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { t } from '../messages/index.ts';

/** Filters rows by one value per filter, chosen above the table or by clicking a value in a row. */
export interface Filter<Row> {
  readonly id: string;
  readonly title: string;
  readonly pick: (row: Row) => string | null;
  readonly name: (value: string) => string;
}

type Chosen = Readonly<Record<string, string>>;
const nothingChosen: Chosen = {};

/** The selected values and their setter; stored in the URL. */
function useChosen(): [Chosen, (id: string, value: string | undefined) => void] {
  const { only = nothingChosen } = useSearch({ strict: false });
  const navigate = useNavigate();
  return [
    only,
    (id, value) => {
      const { [id]: _, ...others } = only;
      const next = value === undefined ? others : { ...others, [id]: value };
      const written = Object.keys(next).length > 0 ? next : undefined;
      void navigate({ to: '.', search: (before) => ({ ...before, only: written }), replace: true, resetScroll: false });
    },
  ];
}

/** The rows that match all selected values. */
export function useFiltered<Row>(rows: readonly Row[], filters: readonly Filter<Row>[]): readonly Row[] {
  const [chosen] = useChosen();
  return useMemo(() => {
    const active = filters.filter(({ id }) => chosen[id] !== undefined);
    if (active.length === 0) return rows;
    return rows.filter((row) => active.every(({ id, pick }) => pick(row) === chosen[id]));
  }, [rows, filters, chosen]);
}

export function FilterPickers<Row>({
  rows,
  filters,
}: {
  readonly rows: readonly Row[];
  readonly filters: readonly Filter<Row>[];
}) {
  const [chosen, choose] = useChosen();
  return filters.map(({ id, title, pick, name }) => {
    const now = chosen[id];
    const values = [...new Set([...rows.flatMap((row) => pick(row) ?? []), ...(now ? [now] : [])])].toSorted();
    if (values.length < 2 && !now) return null;
    return (
      <select
        key={id}
        aria-label={title}
        className={`field ${now ? 'border-accent' : ''}`}
        value={now ?? ''}
        onChange={({ target }) => choose(id, target.value || undefined)}
      >
        <option value="">{t.table.anyOf(title)}</option>
        {values.map((value) => (
          <option key={value} value={value}>
            {name(value)}
          </option>
        ))}
      </select>
    );
  });
}

/** A value in a row: clicking it filters by the value, clicking again removes the filter. */
export function FilterValue({
  id,
  value,
  children,
}: {
  readonly id: string;
  readonly value: string;
  readonly children: ReactNode;
}) {
  const [chosen, choose] = useChosen();
  const isChosen = chosen[id] === value;
  const canChoose = useContext(CanFilter);
  if (!canChoose) return children;
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      title={isChosen ? t.table.showAll : t.table.onlyThese}
      className={`min-h-6 hover:text-ink hover:underline ${isChosen ? 'font-semibold text-ink' : ''}`}
      onClick={() => choose(id, isChosen ? undefined : value)}
    >
      {children}
    </button>
  );
}

/** Whether the surrounding table has filters. */
export const CanFilter = createContext(false);
