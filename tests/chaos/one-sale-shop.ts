import { loadSettings } from '@tributary/config';
import { syncs } from '@tributary/domain/advertising/connections/module.ts';
import { openOutcomeImporter } from '@tributary/domain/commerce/outcomes/module.ts';
import { applyWaitingRefunds } from '@tributary/domain/commerce/payments/module.ts';
import { createProviders } from '@tributary/providers';
import {
  buildConnection,
  matchSales,
  processQueue,
  scene,
  type TestApi,
  type Testkit,
  testOutcomeServices,
  testVault,
} from '@tributary/testkit';
import { sql } from 'kysely';
import type { BookedRecord, BookedRefund, Person } from './one-sale-book.ts';
import { emailOf, type Message, orderOf } from './one-sale-messages.ts';
import { ProviderBooks } from './one-sale-providers.ts';

const lanes = 4;
const eventsPerRequest = 100;
const rowsPerImport = 500;

export type Shop = Awaited<ReturnType<typeof openShop>>;

/** A profile that receives its sales through POST /events, a file import, and the syncs of a payment provider and a store. */
export async function openShop(kit: Testkit, api: TestApi) {
  const now = () => kit.clock.now();
  const shop = await scene(
    { kit, api },
    {
      scopes: ['attribution:write', 'commerce:read', 'customers:read', 'conversions:read'],
      requestsPerMinute: 600_000,
      reportingCurrency: 'USD',
    },
  );
  const owner = { id: shop.profileId, workspaceId: shop.workspaceId };
  const stripe = await buildConnection(kit, owner, {
    channel: 'payments_a',
    credentials: {
      accessToken: 'token',
      refreshToken: 'token',
      expiresAt: '2030-01-01T00:00:00.000Z',
      accountId: 'acct_1',
      isLive: true,
      granted: [],
    },
  });
  const store = await buildConnection(kit, owner, {
    channel: 'store',
    externalId: 'shop.myshopify.com',
    credentials: { webhookSecret: null, accessToken: 'token' },
  });
  const books = new ProviderBooks(now);
  const handler = syncs({
    app: kit.app,
    system: kit.system,
    providers: createProviders(loadSettings({ STRIPE_CLIENT_ID: 'client', STRIPE_CLIENT_SECRET: 'secret' })),
    providerOutbound: books.outbound,
    vault: testVault,
    outcomes: testOutcomeServices,
    now,
    random: Math.random,
  });
  const importer = await openOutcomeImporter(kit.app, shop.profileId, testOutcomeServices, now);
  if (!importer) throw new Error('There is no such profile.');
  let lines = 0;
  /** Seconds spent on each source, and on matching. */
  const spent: Record<string, number> = {};
  const spend = (on: string, since: number): number => {
    const now = performance.now();
    spent[on] = Math.round(((spent[on] ?? 0) + (now - since) / 1000) * 1000) / 1000;
    return now;
  };
  const orders = new Map<string, { record: BookedRecord; refunds: BookedRefund[] }>();

  /** Syncs the connection until nothing is new. A failed sync or a rejected record fails the drill. */
  async function sync(connectionId: string, channel: string): Promise<void> {
    await shop.ledger.transaction((tx) =>
      sql`
        INSERT INTO syncs AS s (profile_id, connection_id, channel, due_at) VALUES (${shop.profileId}, ${connectionId}, ${channel}, ${now()})
        ON CONFLICT (profile_id, connection_id) DO UPDATE SET due_at = ${now()}, wishes = s.wishes + 1, state = 'queued'`.execute(
        tx,
      ),
    );
    for (;;) {
      await processQueue(kit.system, 'syncs', handler, connectionId);
      const { rows } = await shop.ledger.transaction((tx) =>
        sql<{ state: string; failed: string | null; rejected: number }>`
          SELECT state, last_error AS failed, rejected_count AS rejected FROM syncs WHERE connection_id = ${connectionId}`.execute(
          tx,
        ),
      );
      const [row] = rows;
      if (row?.failed || row?.rejected) throw new Error(`A sync failed: ${JSON.stringify(row)}`);
      if (row?.state === 'idle') return;
    }
  }

  async function sendEvents(bodies: readonly object[]): Promise<void> {
    const requests = chunksOf(bodies, eventsPerRequest).map((events, index) =>
      index === 0 && events.length === 1 ? events[0] : { events },
    );
    await inLanes(requests, async (body) => {
      const response = await shop.call('POST', '/api/v1/events', body as object);
      const results = response.json().data?.results as { status: string }[] | undefined;
      if (response.statusCode !== 202 || results?.some(({ status }) => status === 'rejected'))
        throw new Error(`POST /events answered ${response.statusCode}: ${response.body.slice(0, 400)}`);
    });
  }

  return {
    ...shop,
    connections: { stripe, store },

    async deliver(messages: readonly Message[]): Promise<void> {
      const of = <Via extends Message['via']>(via: Via) =>
        messages.filter((one): one is Extract<Message, { via: Via }> => one.via === via);
      let at = performance.now();
      await sendEvents(of('api').map(({ body }) => body));
      at = spend('api', at);
      const rows = of('csv').map(({ cells }) => {
        lines += 1;
        return { line: lines, cells };
      });
      for (const some of chunksOf(rows, rowsPerImport)) {
        const { rejected } = await importer.import(some);
        if (rejected[0]) throw new Error(`A row was rejected: ${JSON.stringify(rejected[0])}`);
      }
      at = spend('csv', at);
      for (const { charge, refund } of of('stripe')) {
        if (charge) books.charge(charge);
        if (refund) books.refund(refund);
      }
      if (of('stripe').length > 0) await sync(stripe, 'payments_a');
      at = spend('stripe', at);
      for (const { record, refund } of of('shopify')) {
        const order = orders.get(record.key) ?? { record, refunds: [] };
        if (refund) order.refunds.push(refund);
        orders.set(record.key, order);
        books.order(orderOf(record, order.refunds));
      }
      if (of('shopify').length > 0) await sync(store, 'store');
      spend('shopify', at);
    },

    spent,

    async settle(): Promise<void> {
      const at = performance.now();
      await applyWaitingRefunds(kit.app, kit.system, now(), AbortSignal.timeout(300_000));
      await matchSales(kit);
      spend('settle', at);
    },

    /** Undoes the merges of these customers. Resolves to the number of merges. */
    async undoMergesOf(people: readonly Person[]): Promise<number> {
      const emails = people.map(emailOf);
      const { rows } = await shop.ledger.transaction((tx) =>
        sql<{ id: string }>`
          SELECT DISTINCT m.id FROM identifiers i JOIN merges m ON m.profile_id = i.profile_id AND i.customer_id = m.survivor_id
          WHERE i.value = ANY (${emails}::text[]) AND m.undone_at IS NULL ORDER BY m.id`.execute(tx),
      );
      await inLanes(rows, async ({ id }) => {
        await shop.post(`/api/v1/merges/${id}/undo`, { reason: 'They are two customers.' });
      });
      return rows.length;
    },

    async erase(people: readonly Person[]): Promise<void> {
      await inLanes(people, async (person) => {
        const body = { request_ref: `erase-${person.n}`, email: emailOf(person) };
        await shop.post('/api/v1/customers/erasures', body);
      });
    },
  };
}

const chunksOf = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size));

async function inLanes<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all].values();
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (const one of left) await work(one);
    }),
  );
}
