import { minuteMs } from '@tributary/vocabulary';
import { z } from 'zod';
import type { Account, Call, Sync } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { decimalText, readAs } from '../read-answer.ts';
import type { ShopifyApi } from './api.ts';
import type { ShopifyCredentials } from './credentials.ts';
import { type Order, sayOrder } from './order.ts';

/** Orders are read by when they last changed, so one that changes meanwhile comes again at the end. */
export interface ShopifyPosition {
  /** The walk takes what changed since; null: everything that the store lets be read. */
  readonly since: string | null;
  /** The store's place in the walk; null: at its beginning. */
  readonly after: string | null;
  /** When the last order that was read had changed. */
  readonly seen: string | null;
}

const text = z.string().nullish();
const Money = z.object({ shopMoney: z.object({ amount: decimalText, currencyCode: z.string() }) });
const Transaction = z.object({
  id: z.string(),
  kind: z.string(),
  status: z.string(),
  gateway: text,
  amountSet: Money,
  createdAt: z.string(),
  processedAt: text,
});
type Transaction = z.infer<typeof Transaction>;
const Node = z.object({
  id: z.string(),
  name: text,
  test: z.boolean(),
  createdAt: z.string(),
  processedAt: text,
  updatedAt: z.string(),
  displayFinancialStatus: text,
  paymentGatewayNames: z.array(z.string()),
  totalPriceSet: Money,
  email: text,
  phone: text,
  customer: z.object({ id: z.string(), firstName: text, lastName: text }).nullish(),
  transactions: z.array(Transaction),
});
type Node = z.infer<typeof Node>;
const Page = z.object({
  nodes: z.array(Node),
  pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: text }),
});
const Whole = z.object({ transactions: z.array(Transaction) });

/** A query may cost 1,000 points, and each of these rows counts. */
const ordersAPage = 25;
const transactionsAtOnce = 20;
const mostTransactions = 250;
/** What its list did not show at once is read by the next sync. */
const overlapMs = 10 * minuteMs;

const transactions = (first: number) =>
  `transactions(first: ${first}) { id kind status gateway createdAt processedAt amountSet { shopMoney { amount currencyCode } } }`;
const list = `query orders($after: String, $query: String) {
  orders(first: ${ordersAPage}, after: $after, query: $query, sortKey: UPDATED_AT) {
    pageInfo { hasNextPage endCursor }
    nodes {
      id name test createdAt processedAt updatedAt displayFinancialStatus paymentGatewayNames email phone
      totalPriceSet { shopMoney { amount currencyCode } }
      customer { id firstName lastName }
      ${transactions(transactionsAtOnce)}
    }
  }
}`;
const one = `query order($id: ID!) { order(id: $id) { ${transactions(mostTransactions)} } }`;

export const createSync = (graphql: ShopifyApi): Sync<ShopifyCredentials, ShopifyPosition> =>
  async function* sync(account, from, call) {
    // A store that gave no token tells of its orders by webhooks alone.
    if (account.credentials.accessToken === null) return;
    let position: ShopifyPosition = from ?? { since: null, after: null, seen: null };
    for (let isMore = true; isMore; ) {
      const { since, after, seen } = position;
      const query = since === null ? null : `updated_at:>='${since}'`;
      const page = await read({ after, query });
      if (!page) {
        position = { since: seen ?? since, after: null, seen };
        continue;
      }
      const { nodes, pageInfo, waitMs } = page;
      const said = [];
      for (const node of nodes) said.push(...sayOrder(orderOf(node, await allOf(node, account, call))));
      const reached = nodes.at(-1)?.updatedAt ?? seen;
      isMore = pageInfo.hasNextPage && nodes.length > 0;
      position = isMore
        ? { since, after: pageInfo.endCursor ?? null, seen: reached }
        : { since: reached === null ? since : before(reached), after: null, seen: null };
      yield { said, position, ...(isMore ? {} : { progress: 1 }), ...(waitMs !== undefined && { waitMs }) };
    }

    /** Undefined: the store does not know the place any more, and the walk begins at the last order that was read. */
    async function read(asked: { readonly after: string | null; readonly query: string | null }) {
      try {
        const { data, waitMs } = await graphql(account, list, asked, call);
        return { ...readAs(Page, data.orders, 'orders'), waitMs };
      } catch (error) {
        const isForgotten = error instanceof ProviderFault && error.details.verdict === 'refused';
        if (asked.after === null || !isForgotten) throw error;
        return undefined;
      }
    }

    /** Hardly any order has more than are asked for beside it. */
    async function allOf(node: Node, of: Account<ShopifyCredentials>, asking: Call): Promise<Transaction[]> {
      if (node.transactions.length < transactionsAtOnce) return node.transactions;
      const { data } = await graphql(of, one, { id: node.id }, asking);
      return readAs(Whole, data.order, 'order').transactions;
    }
  };

const before = (at: string): string => new Date(Date.parse(at) - overlapMs).toISOString();

/** Webhooks name things by the number at the end of what the Admin API calls them: gid://shopify/Order/1. */
const numberOf = (gid: string): string => gid.slice(gid.lastIndexOf('/') + 1);

/** In the words of a webhook, whose ids and amounts are the same. */
function orderOf(node: Node, all: readonly Transaction[]): Order {
  const { customer, totalPriceSet } = node;
  const order_id = numberOf(node.id);
  return {
    id: order_id,
    name: node.name,
    currency: totalPriceSet.shopMoney.currencyCode,
    total_price: totalPriceSet.shopMoney.amount,
    financial_status: node.displayFinancialStatus?.toLowerCase(),
    payment_gateway_names: node.paymentGatewayNames,
    test: node.test,
    created_at: node.createdAt,
    processed_at: node.processedAt,
    email: node.email,
    phone: node.phone,
    customer: customer && {
      id: numberOf(customer.id),
      email: null,
      phone: null,
      first_name: customer.firstName,
      last_name: customer.lastName,
    },
    refunds: all.map(({ id, kind, status, gateway, amountSet, createdAt, processedAt }) => ({
      order_id,
      created_at: processedAt ?? createdAt,
      transactions: [
        {
          id: numberOf(id),
          amount: amountSet.shopMoney.amount,
          currency: amountSet.shopMoney.currencyCode,
          kind: kind.toLowerCase(),
          status: status.toLowerCase(),
          gateway,
        },
      ],
    })),
  };
}
