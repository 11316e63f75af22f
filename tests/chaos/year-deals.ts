import type { Book } from './year-book.ts';
import { location } from './year-connections.ts';
import { nameOf, type Person } from './year-people.ts';
import type { Shop } from './year-shop.ts';

type Deal = Shop['sandbox']['book']['highlevel']['deals'][number];

/** The outcome type of each stage, as its name suggests. A stage without a suggestion has none. */
const stages: Readonly<Record<string, readonly (string | undefined)[]>> = {
  [`${location}-ventas`]: ['lead_created', undefined, 'appointment_booked', 'quote_sent', 'closed_won'],
  [`${location}-servicios`]: ['lead_created', 'appointment_booked', undefined],
};
const endings = { open: undefined, won: 'closed_won', lost: 'deal_lost', abandoned: 'deal_abandoned' } as const;

/** Simulates the deals of the CRM: they move, end and are reopened. */
export class DealDesk {
  readonly #shop: Shop;
  readonly #book: Book;
  readonly #dice: () => number;
  readonly #count: (kind: string) => void;
  readonly #ids: string[] = [];
  readonly #people = new Map<string, Person>();

  constructor(shop: Shop, book: Book, dice: () => number, count: (kind: string) => void) {
    this.#shop = shop;
    this.#book = book;
    this.#dice = dice;
    this.#count = count;
  }

  open(person: Person): void {
    const n = this.#ids.length;
    const pipelineId = Object.keys(stages)[n % 2] as string;
    const at = this.#shop.kit.clock.now().toISOString();
    const deal: Deal = {
      id: `oppyear${String(n).padStart(6, '0')}`,
      locationId: location,
      name: `Deal ${n}`,
      monetaryValue: n % 5 === 4 ? null : 100 + n * 10.5,
      pipelineId,
      pipelineStageId: `${pipelineId}-0`,
      status: 'open',
      contact:
        n % 9 === 4 ? null : { id: `contact-${person.n}`, name: nameOf(person), email: person.email, phone: null },
      createdAt: at,
      updatedAt: at,
      lastStageChangeAt: at,
      lastStatusChangeAt: at,
    };
    (this.#shop.sandbox.book.highlevel.deals as Deal[]).unshift(deal);
    if (deal.contact) this.#people.set(deal.id, person);
    this.#ids.push(deal.id);
    this.#count('deal: opened');
    this.#report(deal);
  }

  /** Whether the CRM has a deal of this customer, which it may report again. */
  has(person: Person): boolean {
    return [...this.#people.values()].includes(person);
  }

  move(): void {
    const id = this.#ids[Math.floor(this.#dice() * this.#ids.length)];
    const { deals, change } = this.#shop.sandbox.book.highlevel;
    const deal = deals.find((one) => one.id === id);
    if (!deal) return;
    const chance = this.#dice();
    if (chance < 0.65) {
      const all = stages[deal.pipelineId] ?? [];
      change(deal.id, { pipelineStageId: `${deal.pipelineId}-${Math.floor(this.#dice() * all.length)}` });
      this.#count('deal: moved');
    } else if (deal.status === 'open') {
      const status = (['won', 'lost', 'abandoned'] as const)[Math.floor(this.#dice() * 3)] ?? 'won';
      change(deal.id, { status, ...(chance > 0.9 && { monetaryValue: 5_000 + Math.floor(chance * 1_000) }) });
      this.#count(`deal: ${status}`);
    } else {
      change(deal.id, { status: 'open' });
      this.#count('deal: reopened');
    }
    this.#report(deal);
  }

  /** A CRM reports the state of a deal at the time of the sync, and no states in between. */
  #report(deal: Deal): void {
    this.#book.later('crm_a', () => {
      const staged = stages[deal.pipelineId]?.[Number(deal.pipelineStageId.split('-').at(-1))];
      const ended = endings[deal.status];
      const value = deal.monetaryValue === null ? null : BigInt(Math.round(deal.monetaryValue * 100));
      const put = (type: string | undefined, at: Date) => {
        if (!type) return;
        this.#book.outcome(deal.id, { type, at, value, person: this.#people.get(deal.id) ?? null });
        this.#book.announce(`crm_a ${deal.id}`, type, value, 'USD', at);
      };
      if (staged !== ended) put(staged, new Date(deal.lastStageChangeAt));
      put(ended, new Date(deal.lastStatusChangeAt));
    });
  }
}
