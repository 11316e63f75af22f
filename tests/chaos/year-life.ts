import type { Book, Sale } from './year-book.ts';
import { DealDesk } from './year-deals.ts';
import { type Currency, textOf } from './year-money.ts';
import { nameOf, newPerson, type Person, traitsOf } from './year-people.ts';
import { type Charge, MoneyBack, type Order, type Payment, type SourceRecords } from './year-refunds.ts';
import type { Shop } from './year-shop.ts';

const minuteMs = 60_000;

/** The ways in which a sale is made, which determine the sources that report it. */
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

/** Simulates the days of the shop: sales, refunds, visits, deals and chats. Each is applied to the sandbox or the API, and to the books. */
export class Life {
  readonly counts: Record<string, number> = {};
  readonly people: Person[] = [];
  readonly deals: DealDesk;
  readonly #shop: Shop;
  readonly #book: Book;
  readonly #dice: () => number;
  readonly #moneyBack: MoneyBack;
  readonly #amounts = new Set<string>();
  #fresh: Person[] = [];
  #events: object[] = [];
  readonly #visits: object[] = [];

  constructor(shop: Shop, book: Book, dice: () => number) {
    this.#shop = shop;
    this.#book = book;
    this.#dice = dice;
    this.deals = new DealDesk(shop, book, dice, (kind) => this.count(kind));
    this.#moneyBack = new MoneyBack(shop, book, this, dice);
  }

  count(kind: string): void {
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
  }

  pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#dice() * from.length)] as T;
  }

  /** Simulates one day until the evening. */
  async simulateDay(day: string, n: number, salesADay: number): Promise<void> {
    const { key } = this.#shop.tracking;
    const begin = Date.parse(`${day}T00:10:00Z`);
    const acts: { readonly at: number; act(): void }[] = [];
    const plan = (act: () => void) => acts.push({ at: begin + Math.floor(this.#dice() * 21 * 60) * minuteMs, act });
    for (let sale = 0; sale < salesADay; sale += 1) plan(() => this.#sell());
    for (let refund = 0; refund < salesADay / 8; refund += 1) plan(() => this.#moneyBack.refund());
    if (this.#dice() < salesADay / 20) plan(() => this.#moneyBack.dispute(n));
    plan(() => this.#moneyBack.settleDisputes(n));
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

  /** Sends what the shop's own server reports at the end of the day. */
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
    this.#book.markRead('server');
  }

  #someone(): Person {
    const alive = this.people.filter(({ isErased }) => !isErased);
    if (alive.length > 5 && this.#dice() < 0.5) return this.pick(alive);
    const person = newPerson(this.people.length);
    this.people.push(person);
    this.#fresh.push(person);
    return person;
  }

  /** Draws an amount that no other sale in the currency has, so that equal amounts never join two sales by accident. */
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
    // A bank reports a national id, which the shop does not have for guests.
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
      isReported: false,
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
      this.#reportLater(sale, 'server', `manual ${key}`);
      return key;
    };
    const sources = this.#recordAtSources(way, { sale, order, charge, payment, event });
    if (way === 'bank transfer') {
      const { id } = fintoc.receive(amount, {
        sender: { holder_id: person.rut.replace('-', ''), holder_name: nameOf(person) },
      });
      this.#reportLater(sale, 'bank_link', `bank_link ${id}`);
    }
    if (sources.charge) this.#reportLater(sale, 'payments_a', `payments_a ${sources.charge.id}`);
    if (sources.payment) this.#reportLater(sale, 'payments_b', `payments_b ${sources.payment.id}`);
    // An order that was paid through a connected provider is reported by that provider alone.
    if (sources.order && !way.includes('through'))
      this.#reportLater(sale, 'store', `store ${sources.order.id.split('/').at(-1)}`);
    this.#moneyBack.add({ sale, ...sources });
  }

  #recordAtSources(
    way: (typeof ways)[number],
    make: {
      readonly sale: Sale;
      order(gateway: string): Order;
      charge(): Charge;
      payment(): Payment;
      event(properties?: object): string;
    },
  ): Omit<SourceRecords, 'sale'> {
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

  /** Adds a record to the sale. The books count the sale as reported once the channel has been read. */
  #reportLater(sale: Sale, channel: string, record: string): void {
    sale.records.push(record);
    this.#book.later(channel, () => {
      sale.isReported = true;
      if (channel !== 'server') this.#book.announce(record, 'payment_received', sale.amount, sale.currency, sale.at);
    });
  }

  /** Adds a visit by an ad or a direct one. It is offset by half a minute, so that nothing else happens at the same moment. */
  #visit(key: string): void {
    const person = this.#someone();
    const at = this.#shop.kit.clock.now().getTime() + minuteMs / 2;
    const ad = this.#dice() < 0.7 ? this.pick(this.#book.ads.campaigns) : null;
    this.count(ad ? 'visit: by an ad' : 'visit: direct');
    this.#visits.push(this.#book.visits.request(key, person, at, ad));
    this.#book.visits.touch(person, { at, campaign: ad?.externalId ?? null });
  }

  /** Queues an event that the shop's server sends in the evening. */
  queueEvent(event: object): void {
    this.#events.push(event);
  }

  hasBought(person: Person): boolean {
    return this.#book.sales.some((sale) => sale.person === person && sale.isReported);
  }

  /** Queues the event that the chatbot's flow sends. */
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
