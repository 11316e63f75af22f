import type { ProfileContext } from '@tributary/operations';
import { nilUuid } from '@tributary/vocabulary';
import { readConversions } from './conversion-page.ts';
import { isDay, isId, isMoment, readCursor, writeCursor } from './cursor.ts';
import { explainConversions } from './explain-conversions.ts';
import { readCountedDelivery } from './explain-delivery.ts';
import { figureOf, type ReportField, type Sum } from './explained-figure.ts';
import type { ReportServices } from './services.ts';
import { type FigureQuery, toConversionQuery } from './sum-figure.ts';

export interface Page {
  readonly limit: number;
  readonly cursor: string | undefined;
}

type Services = ProfileContext & ReportServices;

const noPage = { has_next: false, cursor: null };

/** Before every day of delivery. */
const firstDelivery = writeCursor('1970-01-02', nilUuid);

/** Reads one page of the rows behind a figure. */
export async function readFigureRows(field: ReportField, query: FigureQuery, page: Page, services: Services) {
  const figure = figureOf(field);
  switch (figure.rows) {
    case 'none':
      return { rows: { conversions: [], delivery: [] }, pagination: noPage };
    case 'conversions':
    case 'delivery':
      return readSummed(figure, query, page, services);
    case 'both':
      return readBoth(figure.parts, query, page, services);
  }
}

async function readSummed(figure: Sum, query: FigureQuery, page: Page, services: Services) {
  if (figure.rows === 'delivery') {
    const { rows, pagination } = await readCountedDelivery(figure.column, query, page, services);
    return { rows: { conversions: [], delivery: rows }, pagination };
  }
  const conversionQuery = toConversionQuery(figure, query);
  const { conversions, pagination } = await readConversions(conversionQuery, page, services);
  const explained = await explainConversions(conversions, figure.adds, conversionQuery.period, services);
  return { rows: { conversions: explained, delivery: [] }, pagination };
}

/** Lists positive rows first, then negative ones. The first part of the cursor shows which: a moment (conversions) or a day (delivery). */
async function readBoth(
  parts: readonly [ReportField, ReportField],
  query: FigureQuery,
  page: Page,
  services: Services,
) {
  const [counted, against] = parts.map(figureOf) as [Sum, Sum];
  const [position] =
    page.cursor === undefined ? [] : readCursor(page.cursor, [(text) => isMoment(text) || isDay(text), isId]);
  if (position !== undefined && isDay(position)) {
    const { rows, pagination } = await readSummed(against, query, page, services);
    const delivery = rows.delivery.map((row) => ({ ...row, contributes: negated(row.contributes) }));
    return { rows: { conversions: [], delivery }, pagination };
  }
  const { rows, pagination } = await readSummed(counted, query, page, services);
  if (pagination.has_next) return { rows, pagination };
  // Without positive rows, the first page already lists the negative ones.
  if (rows.conversions.length === 0) return readBoth(parts, query, { ...page, cursor: firstDelivery }, services);
  return { rows, pagination: { has_next: true, cursor: firstDelivery } };
}

const negated = (amount: string): string =>
  amount.startsWith('-') ? amount.slice(1) : Number(amount) === 0 ? amount : `-${amount}`;
