import { type Book, dayOf, refundedOf, type Sale } from './year-book.ts';
import { textOf } from './year-money.ts';
import type { Shop } from './year-shop.ts';

type Sandbox = Shop['sandbox']['book'];
export type Charge = ReturnType<Sandbox['stripe']['pay']>;
type Reversal = ReturnType<Sandbox['stripe']['dispute']>;
export type Order = ReturnType<Sandbox['shopify']['order']>;
export type Payment = ReturnType<Sandbox['mercadoPago']['pay']>;

/** The records of a sale at its sources, through which it can be refunded or disputed. */
export interface SourceRecords {
  readonly sale: Sale;
  readonly charge?: Charge;
  readonly order?: Order;
  readonly payment?: Payment;
  /** The key of the shop's own event. */
  readonly event?: string;
  dispute?: { readonly reversal?: Reversal; readonly opened: number; readonly name: string };
}

interface Life {
  count(kind: string): void;
  pick<T>(from: readonly T[]): T;
  queueEvent(event: object): void;
}

/** Refunds and disputes sales, at every source that has the payment. */
export class MoneyBack {
  readonly #shop: Shop;
  readonly #book: Book;
  readonly #life: Life;
  readonly #dice: () => number;
  readonly #sales: SourceRecords[] = [];
  readonly #promised = new Map<Sale, bigint>();

  constructor(shop: Shop, book: Book, life: Life, dice: () => number) {
    this.#shop = shop;
    this.#book = book;
    this.#life = life;
    this.#dice = dice;
  }

  add(records: SourceRecords): void {
    this.#sales.push(records);
  }

  /** Refunds a part or the rest of a payment at the source that received it. */
  refund(): void {
    const today = dayOf(this.#shop.kit.clock.now());
    const open = this.#sales.filter(
      ({ sale, dispute, charge, order, payment, event }) =>
        dayOf(sale.at) < today &&
        !dispute &&
        (charge || order || payment || event) &&
        sale.refunds.size < 3 &&
        refundedOf(sale) < sale.amount,
    );
    if (open.length === 0) return;
    const { sale, charge, order, payment, event } = this.#life.pick(open.slice(-60));
    const promised = this.#promised.get(sale) ?? 0n;
    const left = sale.amount - promised;
    if (left <= 0n) return;
    const amount = this.#dice() < 0.4 ? left : 1n + BigInt(Math.floor(this.#dice() * Number(left - 1n)));
    if (amount <= 0n || [...sale.refunds.values()].some((one) => one.amount === amount)) return;
    this.#promised.set(sale, promised + amount);
    this.#life.count(amount === sale.amount ? 'refund: full' : 'refund: partial');
    const name = `${sale.n}-${promised}`;
    const reportLater = (channel: string) =>
      this.#book.later(channel, () => sale.refunds.set(name, { amount, isUndone: false }));
    const { stripe, shopify, mercadoPago } = this.#shop.sandbox.book;
    if (charge) {
      stripe.refund(charge, Number(amount));
      reportLater('payments_a');
    }
    if (order) {
      shopify.refund(order, textOf(amount, sale.currency));
      if (!charge && !payment) reportLater('store');
    }
    if (payment) {
      mercadoPago.refund(payment, Number(amount) / 100);
      reportLater('payments_b');
    }
    if (event && (!charge || this.#dice() < 0.5)) {
      this.#life.count('refund: by the server');
      this.#life.queueEvent({
        event_name: 'refund',
        idempotency_key: `${event}-refund-${promised}`,
        refund_of: event,
        occurred_at: this.#shop.kit.clock.now().toISOString(),
        properties: { value: textOf(amount, sale.currency), currency: sale.currency },
      });
      reportLater('server');
    }
  }

  /** Disputes a payment: the customer's bank takes the money back. */
  dispute(n: number): void {
    const today = dayOf(this.#shop.kit.clock.now());
    const open = this.#sales.filter(
      ({ sale, dispute, charge, payment }) =>
        dayOf(sale.at) < today && !dispute && (charge || payment) && !this.#promised.has(sale),
    );
    if (open.length === 0) return;
    const records = this.#life.pick(open.slice(-40));
    const { sale, charge, payment } = records;
    const { stripe, mercadoPago } = this.#shop.sandbox.book;
    this.#life.count('dispute: opened');
    const name = `dispute-${sale.n}`;
    const reversal = charge && stripe.dispute(charge);
    if (!charge && payment) mercadoPago.change(payment, { status: 'charged_back', status_detail: 'in_process' });
    records.dispute = { opened: n, name, ...(reversal && { reversal }) };
    this.#book.later(charge ? 'payments_a' : 'payments_b', () =>
      sale.refunds.set(name, { amount: sale.amount, isUndone: false }),
    );
  }

  settleDisputes(n: number): void {
    const { stripe, mercadoPago } = this.#shop.sandbox.book;
    for (const { sale, dispute, payment } of this.#sales) {
      if (!dispute || n - dispute.opened !== 5) continue;
      const isWon = sale.n % 2 === 0;
      this.#life.count(isWon ? 'dispute: won' : 'dispute: lost');
      if (dispute.reversal) stripe.settle(dispute.reversal, isWon ? 'won' : 'lost');
      else if (payment)
        mercadoPago.change(payment, { status: 'charged_back', status_detail: isWon ? 'reimbursed' : 'settled' });
      if (!isWon) continue;
      this.#book.later(dispute.reversal ? 'payments_a' : 'payments_b', () =>
        sale.refunds.set(dispute.name, { amount: sale.amount, isUndone: true }),
      );
    }
  }
}
