import { createHmac, randomUUID } from 'node:crypto';
import type { Company, CompanyDeps } from '../company.ts';
import { json, type Reply } from '../route.ts';
import { salesOf } from '../sales.ts';
import { giveBack, type OrderCustomer, ordersOf, paidOrder, type ShopifyOrder } from './orders.ts';
import { restOrder } from './rest-order.ts';

export interface ShopifyBook {
  readonly tokens: Map<string, string>;
  /** The pixel of each store, with the settings that it was installed with. */
  readonly pixels: Map<string, { readonly id: string; settings: string }>;
  readonly orders: ShopifyOrder[];
  /** Places a paid order, in the first store unless another is given. */
  order(of: {
    readonly amount: string;
    readonly currency: string;
    readonly gateway: string;
    readonly customer?: OrderCustomer;
    readonly shop?: string;
  }): ShopifyOrder;
  refund(order: ShopifyOrder, amount: string): void;
  storeOf(order: ShopifyOrder): string;
  /** A webhook about an order in its current state, signed with the store's secret. */
  webhook(of: { readonly order: ShopifyOrder; readonly topic: string; readonly secret: string }): {
    readonly headers: Record<string, string>;
    readonly body: Uint8Array;
  };
}

export const firstStore = 'sandbox-shop.myshopify.com';
/** A second store of the same merchant, initially without orders. */
export const secondStore = 'second-shop.myshopify.com';

interface Variables {
  readonly id?: string;
  readonly webPixel?: { readonly settings: string };
  readonly after?: string | null;
  readonly query?: string | null;
}

/** Simulates the query cost bucket: a query takes points, which are restored over time. */
const cost = {
  requestedQueryCost: 550,
  actualQueryCost: 120,
  throttleStatus: { maximumAvailable: 2_000, currentlyAvailable: 1_880, restoreRate: 100 },
};

export function createShopifyCompany({ world, now }: CompanyDeps): Company<ShopifyBook> {
  const tokens = new Map([
    [firstStore, 'shpat_sandbox_token'],
    [secondStore, 'shpat_second_token'],
  ]);
  const stores = new WeakMap<ShopifyOrder, string>();
  const storeOf = (order: ShopifyOrder): string => stores.get(order) ?? firstStore;
  /** Any store that a test opens, except the second one, has the orders of the market. */
  const isIn = (order: ShopifyOrder, shop: string): boolean =>
    stores.get(order) === shop || (!stores.has(order) && shop !== secondStore);
  const pixels: ShopifyBook['pixels'] = new Map();
  let made: ShopifyOrder[] | undefined;
  const orders = (): ShopifyOrder[] => {
    made ??= ordersOf(salesOf(world.market), now().getTime());
    return made;
  };
  return {
    routes: [
      {
        method: 'POST',
        path: '/shopify/:shop/admin/api/:version/graphql.json',
        handle({ params, headers, body }) {
          const { shop = '' } = params;
          if (headers['x-shopify-access-token'] !== tokens.get(shop)) {
            return json(401, {
              errors: '[API] Invalid API key or access token (unrecognized login or wrong password)',
            });
          }
          const { query, variables } = JSON.parse(body) as { query: string; variables: Variables };
          if (query.includes('orders(')) {
            return answerOrders(
              orders().filter((order) => isIn(order, shop)),
              query,
              variables,
            );
          }
          if (query.includes('order(')) {
            const order = orders().find(({ id }) => id === variables.id);
            return answered({ order: order ? { transactions: order.transactions } : null });
          }
          return answerPixel(pixels, shop, query, variables);
        },
      },
    ],
    book: {
      tokens,
      pixels,
      get orders() {
        return orders();
      },
      storeOf,
      webhook({ order, topic, secret }) {
        const body = Buffer.from(JSON.stringify(restOrder(order)));
        const headers = {
          'x-shopify-topic': topic,
          'x-shopify-shop-domain': storeOf(order),
          'x-shopify-event-id': randomUUID(),
          'x-shopify-hmac-sha256': createHmac('sha256', secret).update(body).digest('base64'),
        };
        return { headers, body };
      },
      order({ shop = firstStore, ...of }) {
        // The number must be one that is neither a test order nor unpaid.
        const number = 221 * (orders().length + 1);
        const order = paidOrder({ ...of, number, at: now().getTime() });
        orders().push(order);
        stores.set(order, shop);
        return order;
      },
      refund: (order, amount) => giveBack(order, amount, now().getTime()),
    },
  };
}

const answered = (data: object): Reply => json(200, { data, extensions: { cost } });

/** Orders by update time, after a cursor, with as many transactions as requested. */
function answerOrders(all: readonly ShopifyOrder[], request: string, { after, query }: Variables): Reply {
  const [, most = '50'] = /orders\(first: (\d+)/.exec(request) ?? [];
  const [, mostTransactions = '10'] = /transactions\(first: (\d+)/.exec(request) ?? [];
  if (!request.includes('sortKey: UPDATED_AT'))
    return json(200, { errors: [{ message: 'The sandbox sorts by UPDATED_AT.' }] });
  const [, since = ''] = /^updated_at:>='([^']+)'$/.exec(query ?? '') ?? [];
  if (query && Number.isNaN(Date.parse(since)))
    return json(200, { errors: [{ message: `The sandbox cannot read ${query}.` }] });
  const placeOf = ({ updatedAt, id }: ShopifyOrder) => `${updatedAt} ${id}`;
  const behind = after ? Buffer.from(after, 'base64url').toString('utf8') : '';
  if (after && !/^\d{4}-.*gid/.test(behind))
    return json(200, { errors: [{ message: 'Invalid cursor for current pagination sort.' }] });
  const found = all
    .filter((order) => !since || Date.parse(order.updatedAt) >= Date.parse(since))
    .filter((order) => placeOf(order) > behind)
    .sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
  const nodes = found.slice(0, Number(most));
  const last = nodes.at(-1);
  return answered({
    orders: {
      nodes: nodes.map((node) => ({ ...node, transactions: node.transactions.slice(0, Number(mostTransactions)) })),
      pageInfo: {
        hasNextPage: found.length > nodes.length,
        endCursor: last ? Buffer.from(placeOf(last)).toString('base64url') : null,
      },
    },
  });
}

function answerPixel(pixels: ShopifyBook['pixels'], shop: string, query: string, variables: Variables): Reply {
  const settings = variables.webPixel?.settings ?? '{}';
  const pixel = pixels.get(shop);
  const written = (webPixel: object | null, userErrors: readonly object[] = []) => ({ webPixel, userErrors });
  if (query.includes('webPixelCreate')) {
    if (pixel) {
      const duplicateError = { code: 'TAKEN', message: 'Web pixel is taken.' };
      return answered({ webPixelCreate: written(null, [duplicateError]) });
    }
    const fresh = { id: `gid://shopify/WebPixel/${pixels.size + 1}`, settings };
    pixels.set(shop, fresh);
    return answered({ webPixelCreate: written(fresh) });
  }
  if (query.includes('webPixelUpdate')) {
    if (!pixel || pixel.id !== variables.id) return json(200, { errors: [{ message: 'not found' }] });
    pixel.settings = settings;
    return answered({ webPixelUpdate: written(pixel) });
  }
  return answered({ webPixel: pixel ?? null });
}
