import { type Field, fields } from '../fields.ts';
import { Figure } from '../parts/figure.tsx';
import type { Explained } from '../search.ts';
import { say } from '../words/index.ts';

interface PartsProps {
  readonly explain: Explained;
  readonly parts: readonly { readonly field: Field; readonly value: string | null }[];
  readonly currency: string;
}

/** What stands between two figures: a gap is what one is more than the other, and places are averaged. */
const between = (field: Field): string => (field.endsWith('_gap') ? '− ' : fields[field].unit === 'points' ? '' : '÷ ');

/** A ratio is its two figures, each of which has an explanation of its own. */
export function Parts({ explain, parts, currency }: PartsProps) {
  if (parts.length === 0) return null;
  return (
    <dl className="card grid grid-cols-2 divide-x divide-line">
      {parts.map(({ field, value }, place) => (
        <div key={field} className="px-4 py-3">
          <dt className="label">
            {place > 0 && between(explain.field)}
            {fields[field].title}
          </dt>
          <dd>
            <Figure of={{ ...explain, field }} value={value} currency={currency} about={say.explain.aPart} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
