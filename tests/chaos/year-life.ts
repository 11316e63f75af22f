import { type Book, dayOf, type Person, refundedOf, type Sale } from './year-book.ts';
import { DealDesk } from './year-deals.ts';
import { type Currency, textOf } from './year-money.ts';
import { nameOf, newPerson, traitsOf } from './year-people.ts';
import type { Shop } from './year-shop.ts';

type Sandbox = Shop['sandbox']['book'];
type Charge = ReturnType<Sandbox['stripe']['pay']>;
type Reversal = ReturnType<Sandbox['stripe']['dispute']>;
type Order = ReturnType<Sandbox['shopify']['order']>;
type Payment = ReturnType<Sandbox['mercadoPago']['pay']>;

/** What a source holds of a sale, so that money can go back there. */
interface Held {
  readonly sale: Sale;
  readonly charge?: Charge;
  readonly order?: Order;
  readonly payment?: Payment;
  /** The key of the shop's own event. */
  readonly event?: string;
  dispute?: { readonly reversal?: Reversal; readonly opened: number; readonly name: string };
}

const minuteMs = 60_000;

/** How a sale is made, and by which sources it becomes known. */
const ways = [
  'server',
  'stripe',
  'server and stripe',
  'shopify',
  'shopify through stripe',
  'server and shopify',
  'mercado pago',
  'shopify through mercado pago',
  'bank transfer',
] as const;

/** Everything that happens to the shop's money on a day: to the sandbox or the API in their words, and to the books in the simulator's. */
export class Life {
  readonly counts: Record<string, number> = {};
  readonly people: Person[] = [];
  readonly deals: DealDesk;
  readonly #shop: Shop;
  readonly #book: Book;
  readonly #dice: () => number;
  readonly #held: Held[] = [];
  readonly #amounts = new Set<string>();
  #fresh: Person[] = [];
  #events: object[] = [];
  readonly #visits: object[] = [];

  constructor(shop: Shop, book: Book, dice: () => number) {
    this.#shop = shop;
    this.#book = book;
    this.#dice = dice;
    this.deals = new DealDesk(shop, book, dice, (kind) => this.count(kind));
  }

  count(kind: string): void {
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
  }

  pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#dice() * from.length)] as T;
  }

  /** One day, from its first minute to the evening. */
  async live(day: string, n: number, salesADay: number): Promise<void> {
    const { key } = this.#shop.tracking;
    const begin = Date.parse(`${day}T00:10:00Z`);
    const acts: { readonly at: number; act(): void }[] = [];
    const plan = (act: () => void) => acts.push({ at: begin + Math.floor(this.#dice() * 21 * 60) * minuteMs, act });
    for (let sale = 0; sale < salesADay; sale += 1) plan(() => this.#sell());
    for (let refund = 0; refund < salesADay / 8; refund += 1) plan(() => this.#refund());
    if (this.#dice() < salesADay / 20) plan(() => this.#dispute(n));
    plan(() => this.#settleDisputes(n));
    for (let visit = 0; visit < salesADay; visit += 1) plan(() => this.#visit(key));
    for (const person of [this.#someone(), this.#someone()]) plan(() => this.deals.open(person));
    for (let move = 0; move < 4; move += 1) plan(() => this.deals.move());
    plan(() => this.#chat(n));
    for (const { at, act } of acts.sort((one, other) => one.at - other.at)) {
      this.#shop.at(new Date(at));
      act();
    }
    this.#shop.at(new Date(begin + 22 * 60 * minuteMs));
    await this.#send();
    await Promise.all(this.#visits.splice(0).map((request) => this.#shop.visit(request)));
  }

  /** What the shop's own server says of the day. */
  async #send(): Promise<void> {
    const rows = this.#fresh
      .filter(({ isGuest }) => !isGuest)
      .map(({ email, key, rut, firstName, lastName }) => ({
        email,
        external_id: key,
        national_id: rut,
        first_name: firstName,
        last_name: lastName,
      }));
    this.#fresh = [];
    if (rows.length > 0) await this.#shop.call('POST', '/customers', { rows });
    const events = this.#events;
    this.#events = [];
    await this.#shop.events(events);
    this.#book.heard('server');
  }

  #someone(): Person {
    const alive = this.people.filter(({ isErased }) => !isErased);
    if (alive.length > 5 && this.#dice() < 0.5) return this.pick(alive);
    const person = newPerson(this.people.length);
    this.people.push(person);
    this.#fresh.push(person);
    return person;
  }

  /** No two sales of a currency have the same amount, so that nothing but what they share makes one of two. */
  #price(currency: Currency): number {
    const least = currency === 'USD' ? 1_000 : currency === 'MXN' ? 20_000 : 9_000;
    for (;;) {
      const amount = least + Math.floor(this.#dice() * least * 400);
      const name = `${amount} ${currency}`;
      if (this.#amounts.has(name)) continue;
      this.#amounts.add(name);
      return amount;
    }
  }

  #sell(): void {
    const way = this.pick(ways);
    this.count(`sale: ${way}`);
    let person = this.#someone();
    // A bank tells a national id, which the shop knows of no guest.
    while (way === 'bank transfer' && person.isGuest) person = this.#someone();
    const at = this.#shop.kit.clock.now();
    const currency: Currency = way.includes('mercado') ? 'MXN' : way === 'bank transfer' ? 'CLP' : 'USD';
    const amount = this.#price(currency);
    const n = this.#book.sales.length;
    const sale: Sale = {
      n,
      at,
      currency,
      amount: BigInt(amount),
      person,
      records: [],
      isKnown: false,
      refunds: new Map(),
    };
    this.#book.sales.push(sale);
    const { stripe, shopify, mercadoPago, fintoc } = this.#shop.sandbox.book;
    const text = textOf(amount, currency);
    const order = (gateway: string) =>
      shopify.order({
        amount: text,
        currency,
        gateway,
        customer: {
          externalId: String(700_000 + person.n),
          email: person.email,
          phone: null,
          firstName: person.firstName,
          lastName: person.lastName,
        },
      });
    const charge = () =>
      stripe.pay({
        amount,
        currency: currency.toLowerCase(),
        customer: { id: `cus_${person.n}`, email: person.email, name: nameOf(person), phone: null },
      });
    const payment = () =>
      mercadoPago.pay({
        amount: amount / 100,
        currency,
        reference: `order-${n}`,
        payer: {
          id: String(50_000_000 + person.n),
          email: person.email,
          first_name: person.firstName,
          last_name: null,
        },
      });
    const event = (properties: object = {}): string => {
      const key = `event-${n}`;
      this.#events.push({
        event_name: 'payment_received',
        idempotency_key: key,
        occurred_at: at.toISOString(),
        properties: { value: text, currency, ...properties },
        user_traits: traitsOf(person),
      });
      this.#known(sale, 'server', `manual ${key}`);
      return key;
    };
    const held = this.#madeBy(way, { sale, order, charge, payment, event });
    if (way === 'bank transfer') {
      const { id } = fintoc.receive(amount, { holder_id: person.rut.replace('-', ''), holder_name: nameOf(person) });
      this.#known(sale, 'bank_link', `bank_link ${id}`);
    }
    if (held.charge) this.#known(sale, 'payments_a', `payments_a ${held.charge.id}`);
    if (held.payment) this.#known(sale, 'payments_b', `payments_b ${held.payment.id}`);
    // An order that a connected provider was paid for is reported by that provider alone.
    if (held.order && !way.includes('through')) this.#known(sale, 'store', `store ${held.order.id.split('/').at(-1)}`);
    this.#held.push({ sale, ...held });
  }

  #madeBy(
    way: (typeof ways)[number],
    make: {
      readonly sale: Sale;
      order(gateway: string): Order;
      charge(): Charge;
      payment(): Payment;
      event(properties?: object): string;
    },
  ): Omit<Held, 'sale'> {
    switch (way) {
      case 'server':
        return { event: make.event() };
      case 'stripe':
        return { charge: make.charge() };
      case 'server and stripe': {
        const charge = make.charge();
        return { charge, event: make.event({ payment_intent: charge.payment_intent }) };
      }
      case 'shopify':
        return { order: make.order('shopify_payments') };
      case 'shopify through stripe':
        return { order: make.order('stripe'), charge: make.charge() };
      case 'server and shopify': {
        const order = make.order('bank card');
        return { order, event: make.event({ order_id: order.id }) };
      }
      case 'mercado pago':
        return { payment: make.payment() };
      case 'shopify through mercado pago':
        return { order: make.order('mercado_pago'), payment: make.payment() };
      case 'bank transfer':
        return {};
    }
  }

  #known(sale: Sale, channel: string, record: string): void {
    sale.records.push(record);
    this.#book.later(channel, () => {
      sale.isKnown = true;
      if (channel !== 'server') this.#book.announce(record, 'payment_received', sale.amount, sale.currency, sale.at);
    });
  }

  /** Part of a payment, or all that is left of it, goes back through whoever took it. */
  #refund(): void {
    const today = dayOf(this.#shop.kit.clock.now());
    const open = this.#held.filter(
      ({ sale, dispute, charge, order, payment, event }) =>
        dayOf(sale.at) < today &&
        !dispute &&
        (charge || order || payment || event) &&
        sale.refunds.size < 3 &&
        refundedOf(sale) < sale.amount,
    );
    if (open.length === 0) return;
    const held = this.pick(open.slice(-60));
    const { sale, charge, order, payment, event } = held;
    const promised = this.#promised.get(sale) ?? 0n;
    const left = sale.amount - promised;
    if (left <= 0n) return;
    const amount = this.#dice() < 0.4 ? left : 1n + BigInt(Math.floor(this.#dice() * Number(left - 1n)));
    if (amount <= 0n || [...sale.refunds.values()].some((one) => one.amount === amount)) return;
    this.#promised.set(sale, promised + amount);
    this.count(amount === sale.amount ? 'refund: full' : 'refund: partial');
    const name = `${sale.n}-${promised}`;
    const tell = (channel: string) =>
      this.#book.later(channel, () => sale.refunds.set(name, { amount, isUndone: false }));
    const { stripe, shopify, mercadoPago } = this.#shop.sandbox.book;
    if (charge) {
      stripe.refund(charge, Number(amount));
      tell('payments_a');
    }
    if (order) {
      shopify.refund(order, textOf(amount, sale.currency));
      if (!charge && !payment) tell('store');
    }
    if (payment) {
      mercadoPago.refund(payment, Number(amount) / 100);
      tell('payments_b');
    }
    if (event && (!charge || this.#dice() < 0.5)) {
      this.count('refund: by the server');
      this.#events.push({
        event_name: 'refund',
        idempotency_key: `${event}-refund-${promised}`,
        refund_of: event,
        occurred_at: this.#shop.kit.clock.now().toISOString(),
        properties: { value: textOf(amount, sale.currency), currency: sale.currency },
      });
      tell('server');
    }
  }

  readonly #promised = new Map<Sale, bigint>();

  /** A customer has the bank take the money back. */
  #dispute(n: number): void {
    const today = dayOf(this.#shop.kit.clock.now());
    const open = this.#held.filter(
      ({ sale, dispute, charge, payment }) =>
        dayOf(sale.at) < today && !dispute && (charge || payment) && !this.#promised.has(sale),
    );
    if (open.length === 0) return;
    const held = this.pick(open.slice(-40));
    const { sale, charge, payment } = held;
    const { stripe, mercadoPago } = this.#shop.sandbox.book;
    this.count('dispute: opened');
    const name = `dispute-${sale.n}`;
    const reversal = charge && stripe.dispute(charge);
    if (!charge && payment) mercadoPago.change(payment, { status: 'charged_back', status_detail: 'in_process' });
    held.dispute = { opened: n, name, ...(reversal && { reversal }) };
    this.#book.later(charge ? 'payments_a' : 'payments_b', () =>
      sale.refunds.set(name, { amount: sale.amount, isUndone: false }),
    );
  }

  #settleDisputes(n: number): void {
    const { stripe, mercadoPago } = this.#shop.sandbox.book;
    for (const held of this.#held) {
      const { sale, dispute, payment } = held;
      if (!dispute || n - dispute.opened !== 5) continue;
      const isWon = sale.n % 2 === 0;
      this.count(isWon ? 'dispute: won' : 'dispute: lost');
      if (dispute.reversal) stripe.settle(dispute.reversal, isWon ? 'won' : 'lost');
      else if (payment)
        mercadoPago.change(payment, { status: 'charged_back', status_detail: isWon ? 'reimbursed' : 'settled' });
      if (!isWon) continue;
      this.#book.later(dispute.reversal ? 'payments_a' : 'payments_b', () =>
        sale.refunds.set(dispute.name, { amount: sale.amount, isUndone: true }),
      );
    }
  }

  /** Somebody comes by an ad or by themselves; half a minute off, so that nothing else happens at the same moment. */
  #visit(key: string): void {
    const person = this.#someone();
    const at = this.#shop.kit.clock.now().getTime() + minuteMs / 2;
    const ad = this.#dice() < 0.7 ? this.pick(this.#book.ads.campaigns) : null;
    this.count(ad ? 'visit: by an ad' : 'visit: direct');
    this.#visits.push(this.#book.visits.request(key, person, at, ad));
    this.#book.visits.touch(person, { at, campaign: ad?.externalId ?? null });
  }

  /** What is sent with the events of the evening. */
  say(event: object): void {
    this.#events.push(event);
  }

  hasBought(person: Person): boolean {
    return this.#book.sales.some((sale) => sale.person === person && sale.isKnown);
  }

  /** What the flow of the chatbot sends. */
  #chat(n: number): void {
    const person = this.#someone();
    const at = this.#shop.kit.clock.now();
    this.count('chat');
    this.#events.push({
      event_name: 'messaging_started',
      idempotency_key: `manychat-${n}`,
      occurred_at: at.toISOString(),
      user_traits: traitsOf(person),
    });
    this.#book.later('server', () =>
      this.#book.outcome(`manychat-${n}`, { type: 'messaging_started', at, value: null, person }),
    );
  }
}
