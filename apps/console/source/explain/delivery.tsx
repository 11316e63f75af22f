import type { Field } from '../fields.ts';
import { fields } from '../fields.ts';
import { count, day, longDay, money, rate } from '../format.ts';
import { t } from '../messages/index.ts';
import type { ExplainedDelivery } from '../queries.ts';
import { added } from './added.ts';

interface DeliveryProps {
  readonly rows: readonly ExplainedDelivery[];
  readonly field: Field;
  readonly currency: string;
}

/** The days of delivery that the platform reported, each at its own exchange rate. */
export function Delivery({ rows, field, currency }: DeliveryProps) {
  const isMoney = fields[field].unit === 'money';
  const isSingle = new Set(rows.map(({ entity_id: id }) => id)).size === 1;
  return (
    <section aria-labelledby="delivery">
      <h3 id="delivery" className="mb-2">
        {t.explain.daysTold}
      </h3>
      <table className="w-full text-right">
        <thead>
          <tr className="label">
            <th scope="col" className="py-1 text-left font-medium">
              {t.common.day}
            </th>
            <th scope="col" className="font-medium">
              {t.explain.told}
            </th>
            {isMoney && (
              <th scope="col" className="pl-3 font-medium">
                {t.explain.rate}
              </th>
            )}
            <th scope="col" className="pl-3 font-medium">
              {t.explain.adds}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.date} ${row.entity_id}`} className="border-line border-t align-top">
              <th scope="row" className="number py-1 text-left font-normal">
                {day(row.date)}
                {!isSingle && <span className="label block whitespace-normal">{row.name}</span>}
              </th>
              <td className="number py-1 pl-3">{isMoney ? money(row.amount, row.currency) : count(row.amount)}</td>
              {isMoney && (
                <td className="number label py-1 pl-3" title={row.rate_date ? longDay(row.rate_date) : undefined}>
                  {row.currency === currency ? '' : row.rate === null ? t.explain.withoutRate : `× ${rate(row.rate)}`}
                </td>
              )}
              <td className="number py-1 pl-3" data-contributes={row.contributes}>
                {added(field, row.contributes, currency)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
