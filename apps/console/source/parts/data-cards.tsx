import type { ReactNode } from 'react';
import { t } from '../messages/index.ts';
import type { Column, FooterRow } from './columns.ts';

interface CardsProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly footer: readonly FooterRow[];
  readonly expanded?: ((row: Row) => ReactNode) | undefined;
  readonly sortedBy: string | undefined;
  readonly sortBy: (id: string) => void;
}

/** The table on a narrow screen: a card per row, with each cell under its column title. */
export function Cards<Row>({ caption, columns, rows, keyOf, footer, expanded, sortedBy, sortBy }: CardsProps<Row>) {
  const [head, ...others] = columns;
  if (!head) return null;
  return (
    <div className="grid grid-cols-1 gap-3">
      {rows.length > 1 && (
        <label className="label flex items-center gap-2">
          {t.table.sortBy}
          <select className="field" value={sortedBy ?? ''} onChange={({ target }) => sortBy(target.value)}>
            <option value="" disabled>
              {t.table.asReported}
            </option>
            {columns.map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </select>
        </label>
      )}
      <ul aria-label={caption} className="grid grid-cols-1 gap-3">
        {rows.map((row) => (
          <Card
            key={keyOf(row)}
            title={head.cell(row)}
            cells={others.map(({ id, title, cell }) => ({ id, title, content: cell(row) }))}
            below={expanded?.(row)}
          />
        ))}
        {footer.map(({ id, title, cells, isTotal, expanded: below }) => (
          <Card
            key={id}
            title={title}
            isTotal={isTotal ?? false}
            cells={others.flatMap((column) =>
              cells[column.id] === undefined ? [] : [{ id: column.id, title: column.title, content: cells[column.id] }],
            )}
            below={below}
          />
        ))}
      </ul>
    </div>
  );
}

interface CardProps {
  readonly title: ReactNode;
  readonly cells: readonly { readonly id: string; readonly title: string; readonly content: ReactNode }[];
  readonly below: ReactNode;
  readonly isTotal?: boolean;
}

function Card({ title, cells, below, isTotal = false }: CardProps) {
  return (
    <li className={`card p-4 ${isTotal ? 'border-accent font-semibold' : ''}`}>
      <div>{title}</div>
      <dl className="mt-3 grid grid-cols-2 gap-x-4 gap-y-2">
        {cells.map((cell) => (
          <div key={cell.id}>
            <dt className="label font-normal">{cell.title}</dt>
            <dd className="wrap-break-word">{cell.content}</dd>
          </div>
        ))}
      </dl>
      {below && <div className="mt-4 border-line border-t pt-3">{below}</div>}
    </li>
  );
}
