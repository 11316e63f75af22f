import { useState } from 'react';
import { t } from '../messages/index.ts';
import type { Column } from './columns.ts';

/** The optional columns that are shown, stored in this browser. */
export function useChosenColumns<Row>(
  columns: readonly Column<Row>[],
): [readonly Column<Row>[], ReadonlySet<string>, (id: string) => void] {
  const [chosen, setChosen] = useState(readChosen);
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    localStorage.setItem(storageKey, [...next].join(' '));
    setChosen(next);
  };
  return [columns.filter(({ id, isExtra }) => !isExtra || chosen.has(id)), chosen, toggle];
}

const storageKey = 'tributary.columns';
const readChosen = () => new Set((localStorage.getItem(storageKey) ?? '').split(' ').filter(Boolean));

interface ChooserProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly chosen: ReadonlySet<string>;
  readonly toggle: (id: string) => void;
}

export function ColumnChooser<Row>({ columns, chosen, toggle }: ChooserProps<Row>) {
  const extra = columns.filter(({ isExtra }) => isExtra);
  if (extra.length === 0) return null;
  return (
    <details className="relative">
      <summary className="button cursor-pointer list-none">{t.table.columns}</summary>
      <ul className="card absolute right-0 z-10 mt-1 grid w-48 gap-1 p-3 shadow-xl">
        {extra.map(({ id, title }) => (
          <li key={id}>
            <label className="flex min-h-6 items-center gap-2">
              <input type="checkbox" checked={chosen.has(id)} onChange={() => toggle(id)} />
              {title}
            </label>
          </li>
        ))}
      </ul>
    </details>
  );
}
