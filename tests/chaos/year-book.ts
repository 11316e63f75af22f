import { type AdBook, costOf } from './year-ads.ts';
import { type Currency, inCurrency } from './year-money.ts';
import type { Person } from './year-people.ts';
import type { VisitBook } from './year-visits.ts';

/** The simulator's books: what it sold, to whom, and what each source could report so far. They use no code of the product. */

export interface Refund {
  readonly amount: bigint;
  isUndone: boolean;
}

export interface Sale {
  readonly n: number;
  readonly at: Date;
  readonly currency: Currency;
  readonly amount: bigint;
  readonly person: Person;
  /** The records of the sale, named as in the API: `payments_a ch_00000001`. */
  readonly records: string[];
  /** Whether a source has reported the sale. */
  isReported: boolean;
  /** The refunds that a source has reported, by name. */
  readonly refunds: Map<string, Refund>;
}

/** An outcome of a deal. A deal has one outcome per type, with its latest time and value. */
export interface DealOutcome {
  readonly type: string;
  readonly at: Date;
  readonly value: bigint | null;
  readonly person: Person | null;
}

export interface Figures {
  payments: number;
  /** In minor units of the reporting currency. */
  value: bigint;
  conversions: number;
  spend: bigint;
}

export const noFigures = (): Figures => ({ payments: 0, value: 0n, conversions: 0, spend: 0n });

/** The figures reported so far, by day and by campaign of the last touch. `unattributed` holds what no campaign earned. */
export interface ReportedFigures {
  readonly days: ReadonlyMap<string, Figures>;
  readonly campaigns: ReadonlyMap<string, Figures>;
  readonly total: Figures;
}

/** The outcome types that count as conversions by default. */
const counted = ['lead_created', 'messaging_started', 'appointment_booked', 'quote_sent', 'closed_won'];

export const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

export const refundedOf = ({ amount, refunds }: Sale): bigint => {
  const back = [...refunds.values()].reduce((sum, one) => sum + (one.isUndone ? 0n : one.amount), 0n);
  return back < amount ? back : amount;
};

export class Book {
  readonly sales: Sale[] = [];
  readonly outcomes = new Map<string, DealOutcome>();
  /** Outcomes that a provider has reported, with their first value. Each causes one webhook. */
  readonly announced = new Map<string, bigint | null>();
  currency: Currency;
  readonly #unread = new Map<string, (() => void)[]>();

  readonly ads: AdBook;
  readonly visits: VisitBook;

  constructor(currency: Currency, ads: AdBook, visits: VisitBook) {
    this.currency = currency;
    this.ads = ads;
    this.visits = visits;
  }

  /** Queues an effect on the books until the channel is read the next time. */
  later(channel: string, effect: () => void): void {
    const effects = this.#unread.get(channel) ?? [];
    effects.push(effect);
    this.#unread.set(channel, effects);
  }

  /** Applies the queued effects of a channel that was read completely. */
  markRead(channel: string): void {
    const effects = this.#unread.get(channel) ?? [];
    this.#unread.delete(channel);
    for (const effect of effects) effect();
  }

  isWaiting(channel: string): boolean {
    return this.#unread.has(channel);
  }

  announce(record: string, type: string, value: bigint | null, currency: Currency, at: Date): void {
    const key = `${record} ${type}`;
    if (this.announced.has(key)) return;
    this.announced.set(key, value === null ? null : inCurrency(value, currency, this.currency, dayOf(at)));
  }

  outcome(key: string, outcome: DealOutcome): void {
    this.outcomes.set(`${key} ${outcome.type}`, outcome);
  }

  /** The net value of a sale, in minor units of the reporting currency. */
  worth(sale: Sale): bigint {
    return inCurrency(sale.amount - refundedOf(sale), sale.currency, this.currency, dayOf(sale.at));
  }

  reportedSales(): Sale[] {
    return this.sales.filter(({ isReported }) => isReported);
  }

  figures(): ReportedFigures {
    const [days, campaigns] = [new Map<string, Figures>(), new Map<string, Figures>()];
    const total = noFigures();
    const of = (map: Map<string, Figures>, key: string): Figures => {
      const figures = map.get(key) ?? noFigures();
      map.set(key, figures);
      return figures;
    };
    const affectedFigures = (person: Person | null, at: Date) => [
      total,
      of(days, dayOf(at)),
      of(campaigns, this.visits.campaignOf(person, at) ?? 'unattributed'),
    ];
    for (const sale of this.reportedSales()) {
      const worth = this.worth(sale);
      for (const figures of affectedFigures(sale.person, sale.at)) {
        figures.payments += 1;
        figures.conversions += 1;
        figures.value += worth;
      }
    }
    for (const { type, at, person } of this.outcomes.values())
      if (counted.includes(type)) for (const figures of affectedFigures(person, at)) figures.conversions += 1;
    const spent = [...this.ads.reported()].flatMap(([day, ofDay]) =>
      [...ofDay].map(([campaign, cents]) => ({ day, campaign, cents })),
    );
    const cost = (rows: typeof spent) =>
      costOf(
        rows.map(({ day, cents }) => [day, cents] as const),
        this.currency,
      );
    total.spend = cost(spent);
    for (const [day, rows] of Map.groupBy(spent, (row) => row.day)) of(days, day).spend = cost(rows);
    for (const [campaign, rows] of Map.groupBy(spent, (row) => row.campaign))
      of(campaigns, campaign).spend = cost(rows);
    return { days, campaigns, total };
  }
}
