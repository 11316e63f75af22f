import type { Outbound } from '@tributary/outbound';

/** Stand-ins for the parts of Stripe and Shopify that syncs read. They serve what the simulator has disclosed; no request leaves the process. */

export interface StripeCharge {
  readonly id: string;
  readonly [field: string]: unknown;
}

export interface ShopifyNode {
  readonly id: string;
  readonly [field: string]: unknown;
}

type OutboundResponse = Awaited<ReturnType<Outbound['request']>>;

export class ProviderBooks {
  readonly #now: () => Date;
  readonly #charges = new List();
  readonly #refunds = new List();
  readonly #events: { readonly id: string; readonly created: number; readonly data: object; readonly type: string }[] =
    [];
  /** By time of change. A changed order is listed at its newest change only. */
  readonly #orders: { readonly updatedAt: string; readonly node: ShopifyNode }[] = [];
  readonly #newest = new Map<string, number>();

  constructor(now: () => Date) {
    this.#now = now;
  }

  charge(charge: StripeCharge): void {
    this.#charges.add(charge);
    this.#happen('charge.succeeded', { object: 'charge', ...charge });
  }

  refund(refund: StripeCharge): void {
    this.#refunds.add(refund);
    this.#happen('refund.created', { object: 'refund', ...refund });
  }

  order(node: ShopifyNode): void {
    // Changes are a minute apart, so that the ten minutes that each sync reads again hold few orders.
    const updatedAt = new Date(Date.UTC(2020, 0, 1) + this.#orders.length * 60_000).toISOString();
    this.#newest.set(node.id, this.#orders.length);
    this.#orders.push({ updatedAt, node: { ...node, updatedAt } });
  }

  readonly outbound: Pick<Outbound, 'request'> = {
    request: async (url, { body } = {}): Promise<OutboundResponse> => {
      const { hostname, pathname, searchParams } = new URL(url);
      const found = hostname.endsWith('myshopify.com')
        ? this.#answerShopify(JSON.parse(String(body)).variables)
        : this.#answerStripe(pathname, searchParams);
      return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(found)), truncated: false };
    },
  };

  #happen(type: string, object: object): void {
    const created = Math.floor(this.#now().getTime() / 1000) - 3_600;
    this.#events.push({ id: `evt_${this.#events.length}`, type, created, data: { object } });
  }

  #answerStripe(path: string, query: URLSearchParams): object {
    const limit = Number(query.get('limit'));
    if (path === '/v1/charges') return this.#charges.page(query.get('starting_after'), limit);
    if (path === '/v1/refunds') return this.#refunds.page(query.get('starting_after'), limit);
    if (path === '/v1/disputes') return { data: [], has_more: false };
    if (path !== '/v1/events') throw new Error(`Stripe has no ${path} here.`);
    const anchor = query.get('ending_before');
    const from = anchor === null ? Math.max(0, this.#events.length - limit) : Number(anchor.slice('evt_'.length)) + 1;
    const data = this.#events.slice(from, from + limit).toReversed();
    return { data, has_more: from + limit < this.#events.length };
  }

  #answerShopify({ after, query }: { readonly after: string | null; readonly query: string | null }): object {
    const since = query?.slice("updated_at:>='".length, -1) ?? '';
    const nodes: ShopifyNode[] = [];
    let index = after === null ? this.#orders.findIndex(({ updatedAt }) => updatedAt >= since) : Number(after);
    if (index === -1) index = this.#orders.length;
    for (; nodes.length < 25 && index < this.#orders.length; index += 1) {
      const one = this.#orders[index];
      if (one && this.#newest.get(one.node.id) === index) nodes.push(one.node);
    }
    const hasNextPage = index < this.#orders.length;
    return { data: { orders: { nodes, pageInfo: { hasNextPage, endCursor: String(index) } } } };
  }
}

/** A list endpoint of Stripe, newest first. */
class List {
  readonly #rows: StripeCharge[] = [];
  readonly #indexes = new Map<string, number>();

  add(row: StripeCharge): void {
    this.#indexes.set(row.id, this.#rows.length);
    this.#rows.push(row);
  }

  page(after: string | null, limit: number) {
    const end = after === null ? this.#rows.length : (this.#indexes.get(after) ?? 0);
    const from = Math.max(0, end - limit);
    return { data: this.#rows.slice(from, end).toReversed(), has_more: from > 0 };
  }
}
