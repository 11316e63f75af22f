import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  buildApiKey,
  buildProfile,
  type Drill,
  freePort,
  Killable,
  openDrillEngines,
  openLedger,
} from '@tributary/testkit';
import { dayMs } from '@tributary/vocabulary';
import { type RawBuilder, sql } from 'kysely';
import { Agent, request } from 'undici';

const sizes = { small: { payments: 1_200, kills: 2 }, full: { payments: 100_000, kills: 20 } } as const;
const batchSize = 20;
const senders = 8;

/** Sends each payment of a book one to three times, while the API and PostgreSQL are killed alternately. */
export const drill: Drill = {
  name: 'money',
  promise:
    'The ledger equals the sender’s book to the minor unit, however often a payment is sent and whichever process is killed.',
  usesLedgers: true,

  async run({ size, progress, processes }) {
    const { payments, kills } = sizes[size];
    const engines = await openDrillEngines('drill-money', ['postgres', 'redis']);
    const agent = new Agent({ connections: senders * 2 });
    const { appUrl } = engines.database;
    try {
      const setup = openLedger(appUrl, 2);
      // One profile on each PostgreSQL server.
      const shops: { profileId: string; headers: Record<string, string> }[] = [];
      for (const server of setup.shards.values()) {
        const { id: profileId } = await buildProfile(server, { reportingCurrency: 'CLP' });
        const traits = { scopes: ['attribution:write'], requestsPerMinute: 600_000 } as const;
        shops.push({ profileId, headers: (await buildApiKey(server, profileId, traits)).headers });
      }
      await setup.close();
      const ports: number[] = [];
      while (ports.length < processes.api) ports.push(await freePort());
      const script = join(import.meta.dirname, 'events-api.ts');
      const apis = ports.map((port) => new Killable(script, [appUrl, engines.redisUrl, String(port)]));
      await Promise.all(apis.map((api) => api.start()));

      const book = makeBook(payments, shops.length);
      const copies = shuffled(
        book.flatMap((payment) => Array.from({ length: 1 + Math.floor(Math.random() * 3) }, () => payment)),
      );
      const batches = shuffled(
        [...Map.groupBy(copies, ({ shop }) => shop).values()].flatMap((shopCopies) =>
          Array.from({ length: Math.ceil(shopCopies.length / batchSize) }, (_, index) =>
            shopCopies.slice(index * batchSize, (index + 1) * batchSize),
          ),
        ),
      );
      const total = batches.length;
      let sent = 0;
      let inFlight = 0;
      let requestCount = 0;
      let retries = 0;
      const send = async () => {
        for (let batch = batches.pop(); batch; batch = batches.pop()) {
          while (true) {
            inFlight += 1;
            requestCount += 1;
            try {
              const response = await request(`http://127.0.0.1:${ports[requestCount % ports.length]}/api/v1/events`, {
                method: 'POST',
                headers: { ...shops[batch[0]?.shop ?? 0]?.headers, 'content-type': 'application/json' },
                body: JSON.stringify({ events: batch.map(eventOf) }),
                dispatcher: agent,
              });
              const text = await response.body.text();
              if (response.statusCode === 202) break;
              if (response.statusCode < 500 && response.statusCode !== 429)
                throw new UnexpectedStatus(`${response.statusCode} ${text.slice(0, 300)}`);
            } catch (error) {
              if (error instanceof UnexpectedStatus) throw error;
            } finally {
              inFlight -= 1;
            }
            retries += 1;
            await sleep(20 + Math.random() * 50);
          }
          sent += 1;
          progress(sent, total, `${done.api} + ${done.postgres} kills`);
        }
      };
      const done = { api: 0, postgres: 0 };
      let leastInFlight = Number.POSITIVE_INFINITY;
      const killer = async () => {
        // While one of several APIs restarts, the others may accept all remaining batches.
        while (done.api + done.postgres < kills * 2 && sent < total) {
          await sleep(5);
          if (sent / total < (done.api + done.postgres + 0.5) / (kills * 2 + 1) || inFlight === 0) continue;
          leastInFlight = Math.min(leastInFlight, inFlight);
          if (done.api <= done.postgres) {
            const api = apis[done.api % apis.length];
            await api?.kill();
            await api?.start();
            done.api += 1;
          } else {
            const server = engines.ledgers[done.postgres % engines.ledgers.length];
            await server?.kill('postgres');
            await server?.start(['postgres']);
            done.postgres += 1;
          }
        }
      };
      await Promise.all([...Array.from({ length: senders }, send), killer()]);
      await Promise.all(apis.map((api) => api.kill()));

      const after = openLedger(appUrl, 1);
      const ledger = new Map<string, string>();
      let [outcomes, marked] = [0, 0];
      for (const [shop, { profileId }] of shops.entries()) {
        const read = <Row>(statement: RawBuilder<Row>) =>
          after.forProfile(profileId).transaction(async (tx) => (await statement.execute(tx)).rows);
        const rows = await read(
          sql<{ key: string; amount: string }>`SELECT idempotency_key AS key, amount::text FROM outcomes`,
        );
        for (const { key, amount } of rows) ledger.set(`${shop} ${key}`, amount);
        outcomes += rows.length;
        marked += Number((await read(sql<{ n: string }>`SELECT count(*) AS n FROM dirty_conversions`))[0]?.n);
      }
      await after.close();
      const wrong = book.filter(({ shop, key, value }) => ledger.get(`${shop} ${key}`) !== value).length;
      const sum = (values: Iterable<string>) => [...values].reduce((total, value) => total + BigInt(value), 0n);
      return {
        passed:
          wrong === 0 &&
          outcomes === payments &&
          sum(ledger.values()) === sum(book.map(({ value }) => value)) &&
          marked === payments &&
          leastInFlight > 0 &&
          (apis.length > 1 || done.api + done.postgres === kills * 2),
        payments,
        letters: copies.length,
        outcomes,
        wrong,
        marked_for_attribution: marked,
        book_total: String(sum(book.map(({ value }) => value))),
        ledger_total: String(sum(ledger.values())),
        api_kills: done.api,
        postgres_kills: done.postgres,
        retries,
        least_in_flight_at_kill: leastInFlight,
      };
    } finally {
      await agent.close();
      await engines.close();
    }
  },
};

class UnexpectedStatus extends Error {}

interface Payment {
  readonly shop: number;
  readonly key: string;
  readonly customer: string;
  readonly value: string;
  readonly at: string;
}

const makeBook = (count: number, shops: number): Payment[] =>
  Array.from({ length: count }, (_, index) => ({
    shop: index % shops,
    key: `payment-${index}`,
    customer: `customer-${Math.floor(Math.random() * count * 0.4)}`,
    value: String(1 + Math.floor(Math.random() * 5_000_000)),
    at: new Date(Date.UTC(2026, 0, 1) + Math.floor(Math.random() * 250 * dayMs)).toISOString(),
  }));

const eventOf = ({ key, customer, value, at }: Payment) => ({
  event_name: 'payment_received',
  idempotency_key: key,
  occurred_at: at,
  properties: { value, currency: 'CLP' },
  user_traits: { external_id: customer },
});

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
