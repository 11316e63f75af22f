import { difference, sum } from '../decimals.ts';
import { type Field, formatFigure } from '../fields.ts';
import { count } from '../format.ts';
import { t } from '../messages/index.ts';
import { added } from './added.ts';

interface LedgerProps {
  readonly field: Field;
  readonly value: string | null;
  /** The sum over all rows, before rounding. */
  readonly total: string;
  readonly rowCount: number;
  /** The contributions of the visible rows. */
  readonly shown: readonly string[];
  readonly currency: string;
}

/** Shows that the rows add up to the figure, in a sum that readers can check. */
export function Ledger({ field, value, total, rowCount, shown, currency }: LedgerProps) {
  const inSight = sum(shown);
  const more = rowCount - shown.length;
  return (
    <table className="w-full" data-ledger>
      <caption className="sr-only">{t.explain.addsUp}</caption>
      <tbody>
        <Line title={t.explain.shownBelow(count(shown.length))} amount={added(field, inSight, currency)} />
        {more > 0 && (
          <Line title={t.explain.more(count(more))} amount={added(field, difference(total, inSight), currency)} />
        )}
        <Line title={t.explain.together(count(rowCount))} amount={added(field, total, currency)} isSum />
        <Line title={t.explain.figure} amount={formatFigure(field, value, currency)} isSum />
      </tbody>
    </table>
  );
}

function Line({
  title,
  amount,
  isSum = false,
}: {
  readonly title: string;
  readonly amount: string;
  readonly isSum?: boolean;
}) {
  return (
    <tr className={isSum ? 'border-line border-t font-semibold' : ''}>
      <th scope="row" className={`py-1 text-left ${isSum ? 'font-semibold' : 'font-normal'}`}>
        {title}
      </th>
      <td className="number py-1 text-right">{amount}</td>
    </tr>
  );
}
