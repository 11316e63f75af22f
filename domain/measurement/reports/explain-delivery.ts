import type { Context } from '@tributary/operations';
import type { DeliveryColumn } from '@tributary/vocabulary';
import { isDay, isId, readCursor, writeCursor } from './cursor.ts';
import { rateKey } from './period.ts';
import type { ReportServices } from './services.ts';
import { deliveryParameters, type FigureQuery, isUnattributed } from './sum-figure.ts';

const start = { after_day: '1970-01-01', after_id: '' };

/** Reads one page of the delivery days behind a figure, with each day's exchange rate. */
export async function readCountedDelivery(
  column: DeliveryColumn,
  query: FigureQuery,
  { limit, cursor }: { readonly limit: number; readonly cursor: string | undefined },
  { clickhouse, signal }: Pick<Context, 'signal'> & ReportServices,
) {
  const position = cursor === undefined ? start : parseCursor(cursor);
  const found = isUnattributed(query)
    ? []
    : await clickhouse.query(
        'delivery_list_counted',
        { ...deliveryParameters(column, query), ...position, limit: limit + 1 },
        { signal },
      );
  const { rates, period } = query.delivery;
  const rows = found.slice(0, limit).map((row) => {
    const isOwn = row.currency === period.currency;
    const rate = isOwn ? { rate: '1', rateDate: row.day } : rates.get(rateKey(row.currency, row.day));
    return {
      date: row.day,
      entity_id: row.entity_id,
      name: row.name,
      amount: row.amount,
      currency: row.currency,
      rate: rate?.rate ?? null,
      rate_date: rate?.rateDate ?? null,
      contributes: row.contributes,
    };
  });
  const last = rows.at(-1);
  return {
    rows,
    pagination: {
      has_next: found.length > limit,
      cursor: last ? writeCursor(last.date, last.entity_id) : null,
    },
  };
}

function parseCursor(cursor: string) {
  const [after_day, after_id] = readCursor(cursor, [isDay, isId]);
  return { after_day, after_id };
}
