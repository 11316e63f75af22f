import { type Field, fields } from '../fields.ts';
import { t } from '../messages/index.ts';
import { Figure } from '../parts/figure.tsx';
import type { Explained } from '../search.ts';

interface PartsProps {
  readonly explain: Explained;
  readonly parts: readonly { readonly field: Field; readonly value: string | null }[];
  readonly currency: string;
}

/** The operator between two figures: a gap is their difference, and percentiles are averaged. */
const between = (field: Field): string => (field.endsWith('_gap') ? '− ' : fields[field].unit === 'points' ? '' : '÷ ');

/** A ratio consists of two figures, each with its own explanation. */
export function Parts({ explain, parts, currency }: PartsProps) {
  if (parts.length === 0) return null;
  return (
    <dl className="card grid grid-cols-2 divide-x divide-line">
      {parts.map(({ field, value }, index) => (
        <div key={field} className="px-4 py-3">
          <dt className="label">
            {index > 0 && between(explain.field)}
            {fields[field].title}
          </dt>
          <dd>
            <Figure of={{ ...explain, field }} value={value} currency={currency} about={t.explain.aPart} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
