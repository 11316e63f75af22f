import { type AdBook, costOf } from './year-ads.ts';
import { type Currency, inCurrency } from './year-money.ts';
import type { Person } from './year-people.ts';
import type { VisitBook } from './year-visits.ts';

/** The simulator's own books: what it sold, to whom, and what each source has been able to report so far. No code of the product. */

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
  /** Records by the name that the API gives them: `payments_a ch_00000001`. */
  readonly records: string[];
  /** Some source has reported it. */
  isKnown: boolean;
  /** As far as they are known, by name. */
  readonly refunds: Map<string, Refund>;
}

/** A deal that reached a type of outcome: once for each type, with the moment and value that it last had. */
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

/** What is known today: by day, and by campaign of the last touch; `unattributed` is what no campaign earned. */
export interface Known {
  readonly days: ReadonlyMap<string, Figures>;
  readonly campaigns: ReadonlyMap<string, Figures>;
  readonly total: Figures;
}

/** What counts as a conversion without any definition of the shop's own. */
const counted = ['lead_created', 'messaging_started', 'appointment_booked', 'quote_sent', 'closed_won'];

export const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

export const refundedOf = ({ amount, refunds }: Sale): bigint => {
  const back = [...refunds.values()].reduce((sum, one) => sum + (one.isUndone ? 0n : one.amount), 0n);
  return back < amount ? back : amount;
};

export class Book {
  readonly sales: Sale[] = [];
  readonly outcomes = new Map<string, DealOutcome>();
  /** What providers report for the first time, with the value that it has then: one webhook each. */
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

  /** What a channel will report when it is read the next time. */
  later(channel: string, effect: () => void): void {
    const effects = this.#unread.get(channel) ?? [];
    effects.push(effect);
    this.#unread.set(channel, effects);
  }

  /** A channel was read to its end. */
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

  /** In minor units of the reporting currency, less what went back. */
  worth(sale: Sale): bigint {
    return inCurrency(sale.amount - refundedOf(sale), sale.currency, this.currency, dayOf(sale.at));
  }

  known(): Sale[] {
    return this.sales.filter(({ isKnown }) => isKnown);
  }

  figures(): Known {
    const [days, campaigns] = [new Map<string, Figures>(), new Map<string, Figures>()];
    const total = noFigures();
    const of = (map: Map<string, Figures>, key: string): Figures => {
      const figures = map.get(key) ?? noFigures();
      map.set(key, figures);
      return figures;
    };
    const placesOf = (person: Person | null, at: Date) => [
      total,
      of(days, dayOf(at)),
      of(campaigns, this.visits.campaignOf(person, at) ?? 'unattributed'),
    ];
    for (const sale of this.known()) {
      const worth = this.worth(sale);
      for (const figures of placesOf(sale.person, sale.at)) {
        figures.payments += 1;
        figures.conversions += 1;
        figures.value += worth;
      }
    }
    for (const { type, at, person } of this.outcomes.values())
      if (counted.includes(type)) for (const figures of placesOf(person, at)) figures.conversions += 1;
    const spent = [...this.ads.known()].flatMap(([day, ofDay]) =>
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
