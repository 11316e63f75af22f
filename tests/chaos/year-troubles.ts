import { json } from '@tributary/sandbox';
import type { Channel } from '@tributary/vocabulary';
import type { Book } from './year-book.ts';
import { location, storeDomain } from './year-connections.ts';
import type { Life } from './year-life.ts';
import type { Currency } from './year-money.ts';
import type { Person } from './year-people.ts';
import type { Shop } from './year-shop.ts';

/** The path of each provider in the sandbox. */
const addresses: Readonly<Record<Channel, string>> = {
  payments_a: '/stripe',
  store: '/shopify',
  social_ads: '/meta',
  crm_a: '/highlevel',
  search_ads: '/google/ads',
  payments_b: '/mercado-pago',
  bank_link: '/fintoc',
  search_console: '/google/webmasters',
  chatbot: '/manychat',
};
const channels = Object.keys(addresses) as Channel[];
/** The providers whose consent can be revoked. */
const revocable: readonly Channel[] = [
  'store',
  'payments_a',
  'social_ads',
  'crm_a',
  'search_ads',
  'payments_b',
  'chatbot',
];
const always = 1_000_000;

/** How a provider handles a change: stores it and responds, stores it but the response is lost, responds with an error, or lacks consent. */
export type Reception = 'accepts' | 'loses' | 'fails' | 'unreachable';

/** Simulates outages, lost consents, merges, erasures and changes of the reporting currency. */
export class Troubles {
  readonly #shop: Shop;
  readonly #book: Book;
  readonly #life: Life;
  readonly #days: number;
  /** The reporting currencies of the profile and the times of their changes. */
  readonly currencies: { readonly since: string; readonly currency: Currency }[];
  #outage: { readonly channel: Channel; readonly losesAnswers: boolean; end(): void } | undefined;
  #lost: Channel | undefined;
  #merged: { readonly id: string; readonly pair: readonly [Person, Person]; readonly n: number } | undefined;
  #linking: readonly [Person, Person] | undefined;
  /** E-mail addresses of guests that were merged, and ids of their merges. */
  readonly #used = new Set<string>();

  constructor(shop: Shop, book: Book, life: Life, days: number) {
    this.#shop = shop;
    this.#book = book;
    this.#life = life;
    this.#days = days;
    this.currencies = [{ since: '2000', currency: book.currency }];
  }

  /** Whether the provider cannot be read today. */
  isAway(channel: Channel): boolean {
    return this.#outage?.channel === channel || this.#lost === channel;
  }

  /** How the platform responds to writes. */
  receptionOf(channel: Channel): Reception {
    if (this.#lost === channel) return 'unreachable';
    if (this.#outage?.channel !== channel) return 'accepts';
    return this.#outage.losesAnswers ? 'loses' : 'fails';
  }

  isRevoked(channel: Channel): boolean {
    return this.#lost === channel;
  }

  async morning(n: number): Promise<void> {
    if (n % 6 === 3 && n + 2 < this.#days) this.#beginOutage(n);
    if (n % 6 === 5) this.#endOutage();
    if (n % 6 === 0 && n >= 6 && n + 1 < this.#days) this.#revoke(n);
    if (n % 6 === 1 && this.#lost) await this.#reconnect(this.#lost);
    if (n % 5 === 2) this.#merge();
    if (n % 5 === 4) await this.#erase(n);
    const [middle, late] = [Math.floor(this.#days / 2), Math.floor((this.#days * 3) / 4)];
    if (n === middle) await this.#change('CLP');
    if (n === late) await this.#change('USD');
  }

  /** Called after the events of the day were sent. */
  async evening(n: number): Promise<void> {
    if (this.#merged && n - this.#merged.n >= 2) await this.#undo();
    if (this.#linking) await this.#findMerge(n);
  }

  #beginOutage(n: number): void {
    const nth = Math.floor(n / 6);
    const channel = channels[nth % channels.length] as Channel;
    const at = addresses[channel];
    const { sandbox } = this.#shop;
    const losesAnswers = nth % 2 === 1;
    const end = losesAnswers
      ? sandbox.say({ at, times: always, answer: 'lost' })
      : sandbox.say({ at, times: always, reply: json(503, { error: 'away' }) });
    this.#outage = { channel, losesAnswers, end };
    this.#life.count(`outage: ${channel}`);
  }

  #endOutage(): void {
    this.#outage?.end();
    this.#outage = undefined;
  }

  #revoke(n: number): void {
    const channel = revocable[(Math.floor(n / 6) - 1) % revocable.length] as Channel;
    const { consents, book } = this.#shop.sandbox;
    const accounts: Partial<Record<Channel, () => void>> = {
      social_ads: () => consents.revokeAll('meta', book.meta.state.accounts[0]?.id ?? ''),
      search_ads: () => consents.revokeAll('google', book.google.state.customers[0]?.id ?? ''),
      crm_a: () => consents.revokeAll('highlevel', location),
      payments_a: () => consents.revokeAll('stripe', 'acct_sandbox'),
      payments_b: () => consents.revokeAll('mercado-pago', '740000001'),
      store: () => book.shopify.tokens.set(storeDomain, `shpat_sandbox_token_${n}`),
      chatbot: () => {
        const [[key, page]] = [...book.manychat.keys] as [[string, { id: number; name: string }]];
        book.manychat.keys.delete(key);
        book.manychat.keys.set(`123456:sandbox-key-${n}`, page);
      },
    };
    accounts[channel]?.();
    this.#lost = channel;
    this.#life.count(`consent lost: ${channel}`);
  }

  async #reconnect(channel: Channel): Promise<void> {
    await this.#shop.connections.connect(channel);
    this.#life.count('reconnect');
    this.#lost = undefined;
  }

  /** Sends an event with a customer's key and a guest's e-mail address, which merges the two. */
  #merge(): void {
    if (this.#merged) return;
    const free = this.#life.people.filter((one) => !one.isErased && this.#life.hasBought(one));
    const [guest, keyed] = [
      free.find((one) => one.isGuest && !this.#used.has(one.email)),
      free.find((one) => !one.isGuest),
    ];
    if (!guest || !keyed) return;
    this.#used.add(guest.email);
    this.#linking = [guest, keyed];
    this.#life.queueEvent({
      event_name: 'form_sent',
      idempotency_key: `form-${guest.n}`,
      occurred_at: this.#shop.kit.clock.now().toISOString(),
      user_traits: { external_id: keyed.key, email: guest.email },
    });
    this.#book.later('server', () => this.#book.visits.merge(guest, keyed));
    this.#life.count('merge');
  }

  async #findMerge(n: number): Promise<void> {
    const pair = this.#linking as readonly [Person, Person];
    this.#linking = undefined;
    const day = this.#shop.kit.clock.now().toISOString().slice(0, 10);
    const { data } = await this.#shop.call('GET', `/merges?date_from=${day}&date_to=${day}`);
    const fresh = data.filter(
      (one: { id: string; undone_at: string | null }) => !this.#used.has(one.id) && !one.undone_at,
    );
    if (fresh.length !== 1) throw new Error(`There are ${fresh.length} merges, not one.`);
    this.#used.add(fresh[0].id);
    this.#merged = { id: fresh[0].id, pair, n };
  }

  async #undo(): Promise<void> {
    if (!this.#merged) return;
    const { id, pair } = this.#merged;
    this.#merged = undefined;
    await this.#shop.call('POST', `/merges/${id}/undo`, { reason: 'They are two customers.' });
    this.#book.visits.separate(...pair);
    this.#life.count('merge undone');
  }

  /** Erases a customer whom no provider will report again. */
  async #erase(n: number): Promise<void> {
    // During an outage, a provider could still report the customer after the erasure.
    if (this.#outage || this.#lost) return;
    const free = this.#life.people.filter(
      (one) =>
        !one.isErased &&
        !this.#used.has(one.email) &&
        this.#book.visits.of(one).length === 1 &&
        !this.#life.deals.has(one) &&
        this.#life.hasBought(one),
    );
    const person = free[n % 3];
    if (!person) return;
    person.isErased = true;
    await this.#shop.call('POST', '/customers/erasures', { request_ref: `erase-${person.n}`, email: person.email });
    this.#life.count('erasure');
  }

  async #change(currency: Currency): Promise<void> {
    await this.#shop.changeCurrency(currency);
    this.#book.currency = currency;
    this.currencies.push({ since: this.#shop.kit.clock.now().toISOString(), currency });
    this.#life.count('currency change');
  }

  currencyAt(moment: string): Currency {
    return this.currencies.findLast(({ since }) => since <= moment)?.currency ?? 'USD';
  }
}
