import type { ProfileContext } from '@tributary/operations';
import { nilUuid } from '@tributary/vocabulary';
import { readConversions } from './conversion-page.ts';
import { isDay, isId, isMoment, readCursor, writeCursor } from './cursor.ts';
import { explainConversions } from './explain-conversions.ts';
import { readCountedDelivery } from './explain-delivery.ts';
import { figureOf, type ReportField, type Sum } from './explained-figure.ts';
import type { ReportServices } from './services.ts';
import { type Asked, wantedOf } from './sum-figure.ts';

export interface Page {
  readonly limit: number;
  readonly cursor: string | undefined;
}

type Services = ProfileContext & ReportServices;

const noPage = { has_next: false, cursor: null };

/** Before every day of delivery. */
const firstDelivery = writeCursor('1970-01-02', nilUuid);

/** The rows that a figure is made of, a page at a time. */
export async function readFigureRows(field: ReportField, asked: Asked, page: Page, services: Services) {
  const figure = figureOf(field);
  switch (figure.rows) {
    case 'none':
      return { rows: { conversions: [], delivery: [] }, pagination: noPage };
    case 'conversions':
    case 'delivery':
      return readSummed(figure, asked, page, services);
    case 'both':
      return readBoth(figure.parts, asked, page, services);
  }
}

async function readSummed(figure: Sum, asked: Asked, page: Page, services: Services) {
  if (figure.rows === 'delivery') {
    const { rows, pagination } = await readCountedDelivery(figure.column, asked, page, services);
    return { rows: { conversions: [], delivery: rows }, pagination };
  }
  const wanted = wantedOf(figure, asked);
  const { conversions, pagination } = await readConversions(wanted, page, services);
  const explained = await explainConversions(conversions, figure.adds, wanted.period, services);
  return { rows: { conversions: explained, delivery: [] }, pagination };
}

/** First what counts for a difference, then what counts against it. Whose place a cursor is, its first word says: a moment or a day. */
async function readBoth(parts: readonly [ReportField, ReportField], asked: Asked, page: Page, services: Services) {
  const [counted, against] = parts.map(figureOf) as [Sum, Sum];
  const [place] =
    page.cursor === undefined ? [] : readCursor(page.cursor, [(text) => isMoment(text) || isDay(text), isId]);
  if (place !== undefined && isDay(place)) {
    const { rows, pagination } = await readSummed(against, asked, page, services);
    const delivery = rows.delivery.map((row) => ({ ...row, contributes: negated(row.contributes) }));
    return { rows: { conversions: [], delivery }, pagination };
  }
  const { rows, pagination } = await readSummed(counted, asked, page, services);
  if (pagination.has_next) return { rows, pagination };
  // Where nothing counts for it, the page holds what counts against it.
  if (rows.conversions.length === 0) return readBoth(parts, asked, { ...page, cursor: firstDelivery }, services);
  return { rows, pagination: { has_next: true, cursor: firstDelivery } };
}

const negated = (amount: string): string =>
  amount.startsWith('-') ? amount.slice(1) : Number(amount) === 0 ? amount : `-${amount}`;
