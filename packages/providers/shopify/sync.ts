import { minuteMs } from '@tributary/vocabulary';
import { z } from 'zod';
import type { Account, Call, Sync } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { decimalText, readAs } from '../read-answer.ts';
import type { ShopifyApi } from './api.ts';
import type { ShopifyCredentials } from './credentials.ts';
import { type Order, parseOrder } from './order.ts';

/** Orders are read by update time, so one that changes during the sync is read again at the end. */
export interface ShopifyPosition {
  /** Orders changed since then are read; null: all that the store allows. */
  readonly since: string | null;
  /** The store's cursor; null: at the beginning. */
  readonly after: string | null;
  /** The update time of the last order that was read. */
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
const ordersPerPage = 25;
const transactionsPerOrder = 20;
const maxTransactions = 250;
/** Orders that the list did not show at once are read by the next sync. */
const overlapMs = 10 * minuteMs;

const transactions = (first: number) =>
  `transactions(first: ${first}) { id kind status gateway createdAt processedAt amountSet { shopMoney { amount currencyCode } } }`;
const list = `query orders($after: String, $query: String) {
  orders(first: ${ordersPerPage}, after: $after, query: $query, sortKey: UPDATED_AT) {
    pageInfo { hasNextPage endCursor }
    nodes {
      id name test createdAt processedAt updatedAt displayFinancialStatus paymentGatewayNames email phone
      totalPriceSet { shopMoney { amount currencyCode } }
      customer { id firstName lastName }
      ${transactions(transactionsPerOrder)}
    }
  }
}`;
const one = `query order($id: ID!) { order(id: $id) { ${transactions(maxTransactions)} } }`;

export const createSync = (graphql: ShopifyApi): Sync<ShopifyCredentials, ShopifyPosition> =>
  async function* sync(account, from, call) {
    // A store without a token reports its orders by webhook only.
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
      const records = [];
      for (const node of nodes)
        records.push(...parseOrder(orderOf(node, await readAllTransactions(node, account, call))));
      const reached = nodes.at(-1)?.updatedAt ?? seen;
      isMore = pageInfo.hasNextPage && nodes.length > 0;
      position = isMore
        ? { since, after: pageInfo.endCursor ?? null, seen: reached }
        : { since: reached === null ? since : before(reached), after: null, seen: null };
      yield { records: records, position, ...(isMore ? {} : { progress: 1 }), ...(waitMs !== undefined && { waitMs }) };
    }

    /** Undefined: the cursor has expired, and reading restarts at the last order that was read. */
    async function read(variables: { readonly after: string | null; readonly query: string | null }) {
      try {
        const { data, waitMs } = await graphql(account, list, variables, call);
        return { ...readAs(Page, data.orders, 'orders'), waitMs };
      } catch (error) {
        const isForgotten = error instanceof ProviderFault && error.details.verdict === 'refused';
        if (variables.after === null || !isForgotten) throw error;
        return undefined;
      }
    }

    /** Hardly any order has more transactions than the list includes. */
    async function readAllTransactions(
      node: Node,
      of: Account<ShopifyCredentials>,
      context: Call,
    ): Promise<Transaction[]> {
      if (node.transactions.length < transactionsPerOrder) return node.transactions;
      const { data } = await graphql(of, one, { id: node.id }, context);
      return readAs(Whole, data.order, 'order').transactions;
    }
  };

const before = (at: string): string => new Date(Date.parse(at) - overlapMs).toISOString();

/** Webhooks use the number at the end of the Admin API's ids: gid://shopify/Order/1. */
const numberOf = (gid: string): string => gid.slice(gid.lastIndexOf('/') + 1);

/** Converts an order to the webhook format; ids and amounts are the same. */
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
