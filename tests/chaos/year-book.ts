import type { Currency } from './year-money.ts';
import { inCurrency } from './year-money.ts';

/** The simulator's own books: what it sold, to whom, and what each source has been able to report so far. No code of the product. */

export interface Person {
  readonly n: number;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  /** The shop's own id of the customer. */
  readonly key: string;
  readonly rut: string;
}

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
}

export interface DayFigures {
  payments: number;
  /** In minor units of the reporting currency. */
  value: bigint;
  conversions: number;
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
  readonly #unheard = new Map<string, (() => void)[]>();

  constructor(currency: Currency) {
    this.currency = currency;
  }

  /** What a channel will report when it is read the next time. */
  later(channel: string, effect: () => void): void {
    const effects = this.#unheard.get(channel) ?? [];
    effects.push(effect);
    this.#unheard.set(channel, effects);
  }

  /** A channel was read to its end. */
  heard(channel: string): void {
    const effects = this.#unheard.get(channel) ?? [];
    this.#unheard.delete(channel);
    for (const effect of effects) effect();
  }

  isWaiting(channel: string): boolean {
    return this.#unheard.has(channel);
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

  /** What is known today, by day. */
  days(): Map<string, DayFigures> {
    const days = new Map<string, DayFigures>();
    const of = (at: Date): DayFigures => {
      const day = dayOf(at);
      const figures = days.get(day) ?? { payments: 0, value: 0n, conversions: 0 };
      days.set(day, figures);
      return figures;
    };
    for (const sale of this.known()) {
      const figures = of(sale.at);
      figures.payments += 1;
      figures.conversions += 1;
      figures.value += this.worth(sale);
    }
    for (const { type, at } of this.outcomes.values()) if (counted.includes(type)) of(at).conversions += 1;
    return days;
  }
}
