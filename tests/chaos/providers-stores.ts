import { json } from '@tributary/sandbox';
import { firstStore, secondStore } from '../../apps/sandbox/shopify/index.ts';
import { type BookedOutcome, readOutcomeFacts } from './providers-facts.ts';
import { cutOff, outage, revoked, throttled } from './providers-faults.ts';
import type { Life } from './providers-life.ts';
import { customerOf, factsOfSeller, openSeller } from './providers-payments.ts';
import { readChats } from './providers-search.ts';
import type { ProvidersWorld } from './providers-world.ts';

const secret = 'shpss_drill_secret';

export async function openShopify(world: ProvidersWorld): Promise<Life> {
  const seller = await openSeller(world);
  const { shop, clicks, connections, clicked } = seller;
  const book = world.sales.shopify;
  type Order = (typeof book.orders)[number];
  const byStore = new Map<string, string>();
  let made = 0;
  const order = (domain: string = firstStore): Order => {
    made += 1;
    const currency = domain === firstStore ? 'USD' : 'EUR';
    const amount = (80 + made / 4).toFixed(2);
    return book.order({
      amount,
      currency,
      gateway: 'shopify_payments',
      shop: domain,
      customer: customerOf('shopify', made),
    });
  };
  const totalOf = ({ totalPriceSet }: Order) => totalPriceSet.shopMoney;
  const outcomes = (): BookedOutcome[] =>
    book.orders.flatMap((one) => {
      const connectionId = byStore.get(book.storeOf(one));
      if (connectionId === undefined || one.test || one.displayFinancialStatus === 'PENDING') return [];
      const { amount, currencyCode } = totalOf(one);
      const back = one.transactions.filter(({ kind, status }) => kind === 'REFUND' && status === 'SUCCESS');
      return [
        {
          externalId: one.id.slice(one.id.lastIndexOf('/') + 1),
          type: 'payment_received',
          at: one.processedAt,
          amount,
          currency: currencyCode,
          reversed: back.reduce((sum, { amountSet }) => sum + Number(amountSet.shopMoney.amount), 0),
          connectionId,
        },
      ];
    });
  /** Connects a store with what the merchant pastes: the token of a custom app and the secret of its webhooks. */
  const connect = async (domain: string) => {
    const path = '/integrations/store/manual-connections';
    const { id } = await shop.asApp('POST', path, { shop_domain: domain, access_token: book.tokens.get(domain) });
    await shop.asApp('PATCH', `${path}/${id}`, { webhook_signing_id: secret });
    if (!byStore.has(domain)) connections.push(id);
    byStore.set(domain, id);
  };
  const webhook = (one: Order, topic: string) => book.webhook({ order: one, topic, secret });
  const bucket = {
    requestedQueryCost: 1_400,
    throttleStatus: { maximumAvailable: 2_000, currentlyAvailable: 150, restoreRate: 100 },
  };
  const api = {
    path: '/shopify/',
    throttle: json(200, {
      errors: [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }],
      extensions: { cost: bucket },
    }),
  };
  return {
    name: 'Shopify',
    channel: 'store',
    ...factsOfSeller(world, seller, outcomes),
    events: {
      consent: () => connect(firstStore),
      'first sync': () => clicks.advertise(),
      attribution: async () => {
        for (let n = 0; n < 3; n += 1) {
          const one = order();
          await clicks.click(one.email ?? '');
          clicked.add(one.id.slice(one.id.lastIndexOf('/') + 1));
        }
      },
      'new records': () => {
        order();
        if (byStore.has(secondStore)) order(secondStore);
      },
      // An order is paid after it was placed.
      changed: () => {
        const waiting = book.orders.find(({ displayFinancialStatus }) => displayFinancialStatus === 'PENDING');
        if (waiting) Object.assign(waiting, { displayFinancialStatus: 'PAID', updatedAt: world.now().toISOString() });
      },
      'partial refund': () => book.refund(order(), '12.25'),
      'full refund': () => {
        const one = order();
        book.refund(one, totalOf(one).amount);
        const twice = order();
        book.refund(twice, '30.00');
        book.refund(twice, (Number(totalOf(twice).amount) - 30).toFixed(2));
      },
      'revoked, reconnected': () =>
        revoked(
          shop,
          {
            accounts: byStore,
            revoke: (domain) => void book.tokens.set(domain, `shpat_${domain}_${world.now().getTime()}`),
            connect,
          },
          () => order(),
        ),
      outage: () => outage(world, 'store', api, () => book.refund(order(), '1.75')),
      throttled: () => throttled(world, 'store', api, () => order()),
      'page cut off': () => cutOff(world, 'store', api, () => order()),
      'second account': async () => {
        order(secondStore);
        if (!byStore.has(secondStore)) await connect(secondStore);
      },
      'lost webhook': () => book.refund(order(), '2.25'),
      // The webhook from before the refund is delivered after the webhook with the refund.
      'webhook twice, out of order': async () => {
        const one = order();
        const before = webhook(one, 'orders/paid');
        book.refund(one, '5.25');
        const after = webhook(one, 'orders/updated');
        for (const delivery of [after, before, before, after]) await shop.deliver('store', delivery);
        // The webhooks alone, before any sync, must have recorded the refund.
        const facts = await readOutcomeFacts(shop);
        const id = one.id.slice(one.id.lastIndexOf('/') + 1);
        const written = facts.get(`outcome ${id}/payment_received`);
        if (!written?.includes(', 5.25 back,')) throw new Error(`The webhooks of order ${id} left ${written}.`);
      },
      'a month passes': () => void order(),
    },
  };
}

export async function openFintoc(world: ProvidersWorld): Promise<Life> {
  const seller = await openSeller(world);
  const { shop, clicks, connections } = seller;
  const book = world.sales.fintoc;
  const byAccount = new Map<string, string>();
  let made = 0;
  const receive = (account: 'acc_current' | 'acc_sight' = 'acc_current') => {
    made += 1;
    return book.receive(45_000 + made, { account });
  };
  const outcomes = (): BookedOutcome[] =>
    [
      ...book.movements.map((one) => ({ ...one, account: 'acc_current' })),
      ...book.dollarMovements.map((one) => ({ ...one, account: 'acc_sight' })),
    ]
      .filter(({ amount, type, pending }) => amount > 0 && type === 'transfer' && !pending)
      .map((one) => ({
        externalId: one.id,
        type: 'payment_received',
        at: one.transaction_date ?? one.post_date,
        amount: one.currency === 'CLP' ? String(one.amount) : (one.amount / 100).toFixed(2),
        currency: one.currency,
        connectionId: byAccount.get(one.account) ?? '',
      }));
  const connect = async () => {
    const path = '/integrations/bank-link/link';
    const { widget_token } = await shop.asApp('POST', `${path}/start`, {});
    const linked = await shop.asApp('POST', `${path}/connect`, { exchange_token: book.endWidget(widget_token) });
    for (const { id, account } of linked as { id: string; account: { external_id: string } }[]) {
      if (!byAccount.has(account.external_id)) connections.push(id);
      byAccount.set(account.external_id, id);
    }
  };
  const webhook = () =>
    shop.deliver(
      'bank_link',
      book.webhook({ type: 'account.refresh_intent.succeeded', account: 'acc_current' }),
      byAccount.get('acc_current'),
    );
  const api = {
    path: '/fintoc/v1/accounts',
    throttle: json(429, {
      error: { type: 'rate_limit_error', code: 'rate_limit_exceeded', message: 'Too many requests' },
    }),
    outage: json(503, {
      error: { type: 'institution_error', code: 'institution_unavailable', message: 'The bank is away.' },
    }),
  };
  return {
    name: 'Fintoc',
    channel: 'bank_link',
    ...factsOfSeller(world, seller, outcomes),
    events: {
      consent: connect,
      'first sync': () => clicks.advertise(),
      'new records': () => void receive(),
      'revoked, reconnected': () =>
        revoked(
          shop,
          {
            accounts: byAccount,
            revoke: () => book.endLinks(),
            connect: async (account) => account === 'acc_current' && connect(),
          },
          () => receive(),
        ),
      outage: () => outage(world, 'bank_link', api, () => receive()),
      throttled: () => throttled(world, 'bank_link', api, () => receive()),
      'page cut off': () => cutOff(world, 'bank_link', api, () => receive()),
      // The dollar account was linked together with the first account.
      'second account': () => void receive('acc_sight'),
      'lost webhook': () => void receive(),
      'webhook twice, out of order': async () => {
        receive();
        receive();
        await webhook();
        await webhook();
      },
      'a month passes': () => void receive(),
    },
  };
}

export async function openManychat(world: ProvidersWorld): Promise<Life> {
  const seller = await openSeller(world);
  const { shop, clicks, connections } = seller;
  const book = world.sales.manychat;
  const page = '123456';
  const byPage = new Map<string, string>();
  const sent = new Map<string, string>();
  let key = '123456:sandbox-key';
  let request: { readonly url: string; readonly body: string } = { url: '', body: '{}' };
  const connect = async () => {
    const { id, external_request } = await shop.asApp('POST', '/integrations/chatbot/connection', { api_key: key });
    if (!byPage.has(page)) connections.push(id);
    byPage.set(page, id);
    request = external_request;
  };
  /** Sends a chat as the chatbot's flow does: the External Request that the API returned, with the chatbot's fields filled in. */
  const chat = async (user: number) => {
    const { id, email, phone } = customerOf('chat', user);
    const fields: Readonly<Record<string, string>> = { user_id: id, email, phone: phone ?? `+5691234${1_000 + user}` };
    const body = request.body.replace(/\{\{(\w+)\}\}/g, (_, name: string) => fields[name] ?? '');
    const answer = await fetch(request.url, {
      method: 'POST',
      headers: { ...shop.full, 'content-type': 'application/json' },
      body,
    });
    if (answer.status >= 300) throw new Error(`The chat was answered with ${answer.status}: ${await answer.text()}`);
    if (!sent.has(`manychat-${id}`)) sent.set(`manychat-${id}`, world.now().toISOString());
  };
  const api = { path: '/manychat/', throttle: json(429, { status: 'error', message: 'Too many requests' }) };
  let users = 0;
  const next = () => {
    users += 1;
    return chat(users);
  };
  const { expected: _expected, actual: _actual, ...common } = factsOfSeller(world, seller, () => []);
  return {
    name: 'ManyChat',
    channel: 'chatbot',
    ...common,
    expected: () => {
      const facts = new Map([...sent].map(([id]) => [`outcome ${id}`, 'messaging_started']));
      facts.set('report, messaging_started', String(sent.size));
      // Events that the business itself sent are not published back to it.
      facts.set('events', '0');
      for (const id of connections) facts.set(`connection ${id}`, 'connected, idle, no error, nothing rejected');
      return facts;
    },
    actual: async () => readChats(world, seller, connections),
    events: {
      consent: connect,
      'first sync': () => clicks.advertise(),
      'new records': next,
      'revoked, reconnected': () =>
        revoked(
          shop,
          {
            accounts: byPage,
            revoke: () => {
              const owner = book.keys.get(key);
              book.keys.delete(key);
              key = `123456:sandbox-key-${world.now().getTime()}`;
              if (owner) book.keys.set(key, owner);
            },
            connect,
          },
          () => undefined,
        ),
      outage: () => outage(world, 'chatbot', api, () => undefined),
      throttled: () => throttled(world, 'chatbot', api, () => undefined),
      'page cut off': () => cutOff(world, 'chatbot', api, () => undefined),
      'webhook twice, out of order': async () => {
        users += 2;
        for (const user of [users, users - 1, users - 1, users]) await chat(user);
      },
      'a month passes': next,
    },
  };
}
