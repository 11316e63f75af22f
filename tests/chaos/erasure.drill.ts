import { setTimeout as sleep } from 'node:timers/promises';
import { replay } from '@tributary/domain/measurement/attribution/module.ts';
import { openIngestion, pipeline } from '@tributary/domain/traffic/ingestion/module.ts';
import { isPassed } from '@tributary/stream';
import { buildProfile, buildTrackingKey, type Drill, freePort, httpApi, scene } from '@tributary/testkit';
import { sql } from 'kysely';
import { Agent } from 'undici';
import { v7 as uuid } from 'uuid';
import { AppProcess } from './app-process.ts';
import {
  bystander,
  countDifferences,
  earlyVisits,
  lateVisits,
  makePerson,
  type Person,
  readReport,
  sizeOf,
  strayVisits,
  type Visit,
} from './erasure-people.ts';
import { findCanaries } from './erasure-search.ts';
import { openVisitsScene, type VisitsScene } from './visits-scene.ts';

const sizes = { small: { people: 20, bystanders: 100 }, full: { people: 1_000, bystanders: 20_000 } };
const lanes = 12;

/**
 * Sends the same data to two profiles and erases all customers of one, while half of their visits are still in the visit stream. Afterwards no
 * personal data may be found in that profile, and both must report the same.
 */
export const drill: Drill = {
  name: 'erasure',
  promise:
    'Data of an erased customer remains in no store, a replay of the visit stream does not restore it, and no report changes by a minor unit.',
  usesLedgers: true,

  async run({ size, progress, processes }) {
    const { people: count, bystanders } = sizes[size];
    const visits = await openVisitsScene('drill-erasure', {}, undefined, processes);
    const shop = await openTwins(visits, processes.api);
    try {
      const start = Date.now();
      const people = Array.from({ length: count }, (_, index) => makePerson(index, new Date(start + 60_000)));

      let done = 0;
      await each(people, async (person) => {
        await shop.sendVisits(person.browsers[0], earlyVisits(person, new Date()));
        await shop.sendVisits(uuid(), strayVisits(person, new Date()));
        await shop.pay(person);
        await shop.payAsFriend(person);
        done += 1;
        progress(done, count, 'created');
      });
      await visits.drained(300_000);
      await shop.settled();
      await shop.plantSummaries(people);
      const customerIds = await shop.customerIds();
      const before = await findCanaries(shop.stores, shop.erased.profileId, customerIds);
      const conversionsBefore = sizeOf(await readReport(visits.clickhouse, shop.erased.profileId));

      // From here on no worker consumes the stream, until all erasures were requested.
      await Promise.all(visits.workers.map((worker) => worker.kill()));
      await each(people, async (person) => {
        const [first, second] = lateVisits(person, new Date());
        await shop.sendVisits(person.browsers[0], first);
        await shop.sendVisits(person.browsers[1], second);
      });
      await shop.plantDeadLetters(people.slice(0, 10));
      const inStream = await visits.backlog();
      const load = shop.startLoad(bystanders);
      await sleep(50);
      done = 0;
      const receipts = new Map<string, string>();
      await each(people, async ({ word, traits }) => {
        receipts.set(word, await shop.erase(word, traits.external_id as string));
        done += 1;
        progress(done, count, 'erased');
      });
      const stillInStream = await visits.backlog();
      await Promise.all(visits.workers.map((worker) => worker.start()));
      const sent = await load.end();
      await visits.drained(600_000);
      await shop.allDone(receipts, (finished) => progress(finished, count, 'done'));
      await shop.settled();
      const after = await findCanaries(shop.stores, shop.erased.profileId, customerIds);
      const differences = countDifferences(...(await shop.reports()));

      // Replays everything that the stream still holds.
      await shop.replayStream();
      await shop.settled();
      // New dead letters are checked for erased customers within a minute.
      await shop.deadLettersChecked();
      const revived = await findCanaries(shop.stores, shop.erased.profileId, customerIds);
      const differencesAfterStream = countDifferences(...(await shop.reports()));
      await shop.replayAttribution();
      const [report, twin] = await shop.reports();
      const differencesAfterReplay = countDifferences(report, twin);
      const control = await findCanaries(shop.stores, shop.twin.profileId, new Set());
      const total = (hits: Record<string, number>) => Object.values(hits).reduce((sum, one) => sum + one, 0);
      return {
        passed:
          total(before) > 0 &&
          total(control) > 0 &&
          inStream > 0 &&
          stillInStream >= inStream &&
          total(after) === 0 &&
          total(revived) === 0 &&
          differences + differencesAfterStream + differencesAfterReplay === 0 &&
          // Three per person: the payment, the lead from the visits, and the gift of a friend.
          sizeOf(report) === 3 * count &&
          conversionsBefore === 3 * count,
        people: count,
        bystander_requests: sent,
        messages_in_log_at_erasure: stillInStream,
        hits_before: before,
        hits_after: after,
        hits_after_replay_of_log: revived,
        hits_in_twin: total(control),
        conversions: sizeOf(report),
        report_differences: differences,
        report_differences_after_log: differencesAfterStream,
        report_differences_after_replay: differencesAfterReplay,
      };
    } finally {
      await shop.close();
      await visits.close();
    }
  },
};

/** Starts the API in addition to the scene's collector and worker, and creates two profiles. All customers of the first are erased. */
async function openTwins(visits: VisitsScene, apis: number) {
  const { postgres, clickhouse, stream, ring } = visits;
  const ports: number[] = [];
  while (ports.length < apis) ports.push(await freePort());
  const processes = ports.map(
    (port) => new AppProcess('api', 'api listens', { ...visits.environment, PORT: String(port) }),
  );
  await Promise.all(processes.map((process) => process.start()));
  let requests = 0;
  // Distributes requests over the API processes.
  const agent = new Agent({ connections: lanes, pipelining: 1 }).compose((dispatch) => (options, handler) => {
    requests += 1;
    return dispatch({ ...options, origin: `http://127.0.0.1:${ports[requests % ports.length]}` }, handler);
  });
  const world = { kit: { app: postgres }, api: httpApi(`http://127.0.0.1:${ports[0]}`, agent), clickhouse };
  const traits = { scopes: ['attribution:write'], requestsPerMinute: 600_000 } as const;
  const erased = await scene(world, { ...traits, profileId: visits.profileId });
  // With several PostgreSQL servers, the twin is on another one than the erased profile.
  const other = await buildProfile(postgres.home, { plan: 'scale' });
  const twin = await scene(world, { ...traits, profileId: other.id });
  const keys = [visits.key, (await buildTrackingKey(postgres, twin.profileId)).key];
  const both = [erased, twin];
  const ingestion = openIngestion({
    postgres,
    clickhouse,
    ring,
    markVerified: async () => {},
    badBytesPerDay: 50 << 20,
    now: () => new Date(),
  });

  const sendVisits = async (client_id: string, sent: readonly Visit[]) => {
    for (const key of keys) {
      const status = await visits.post(JSON.stringify({ key, client_id, visits: sent }));
      if (status !== 204) throw new Error(`The collector returned ${status}.`);
    }
  };
  const dirty = async () => {
    let left = 0;
    for (const { ledger } of both) {
      const { rows } = await ledger.transaction((tx) =>
        sql<{ n: string }>`SELECT count(*) AS n FROM dirty_conversions`.execute(tx),
      );
      left += Number(rows[0]?.n);
    }
    return left;
  };
  return {
    erased,
    twin,
    stores: { postgres, clickhouse, stream, ring },
    sendVisits,
    async pay({ word, traits, amount, paidAt }: Person) {
      for (const { call } of both) {
        const body = {
          event_name: 'payment_received',
          idempotency_key: `order-of-${paidAt.getTime()}`,
          occurred_at: paidAt.toISOString(),
          properties: { value: amount, currency: 'USD', note: word, subject_ref: word.slice(0, 6) + word.slice(-1) },
          page_url: `https://shop.example/thanks/${word}`,
          click_ids: { gclid: word },
          user_traits: traits,
        };
        // With the Idempotency-Key the response is stored, and it contains the customer's data.
        const { statusCode, body: text } = await call('POST', '/api/v1/events', body, { 'idempotency-key': word });
        if (statusCode >= 300) throw new Error(text);
      }
    },
    /** Records a purchase of another customer whose fields mention this one. */
    async payAsFriend({ traits, amount, paidAt }: Person) {
      for (const { post } of both)
        await post('/api/v1/events', {
          event_name: 'payment_received',
          idempotency_key: `gift-of-${paidAt.getTime()}`,
          occurred_at: new Date(paidAt.getTime() - 3_600_000).toISOString(),
          properties: { value: amount, currency: 'USD', note: `A gift for ${traits.email}, ${traits.phone}.` },
          page_url: `https://shop.example/gift?to=${encodeURIComponent(traits.email as string)}`,
          user_traits: { email: `friend-${paidAt.getTime()}@bystander.example` },
        });
    },
    /** Stores a journey summary that mentions the person, for the person and for a friend. */
    async plantSummaries(people: readonly Person[]) {
      const vault = ring.envelope();
      for (const { profileId, ledger } of both) {
        const customers = await ledger.transaction((tx) =>
          sql<{
            id: string;
            value: string;
          }>`SELECT customer_id AS id, value FROM identifiers WHERE kind = 'email'`.execute(tx),
        );
        const byEmail = new Map(customers.rows.map(({ id, value }) => [value, id]));
        for (const { traits, paidAt } of people)
          for (const email of [traits.email as string, `friend-${paidAt.getTime()}@bystander.example`]) {
            const row = byEmail.get(email) as string;
            const text = `Came by an ad, wrote to ${traits.email} and paid.`;
            const sealed = vault.seal(text, { table: 'journey_summaries', column: 'sealed', row, profileId });
            await ledger.transaction((tx) =>
              sql`INSERT INTO journey_summaries VALUES (${profileId}, ${row}, ${sealed}, 'drill', now(), 1, false)`.execute(
                tx,
              ),
            );
          }
      }
    },
    erase: async (word: string, customer_key: string) =>
      (await erased.post('/api/v1/customers/erasures', { request_ref: `drill-${word.slice(-6)}`, customer_key }))
        .erasure_id as string,
    async customerIds() {
      const { rows } = await erased.ledger.transaction((tx) =>
        sql<{ id: string }>`SELECT DISTINCT customer_id AS id FROM identifiers WHERE value LIKE '%canary%'`.execute(tx),
      );
      return new Set(rows.map((row) => row.id));
    },
    /** Publishes invalid messages, which become dead letters, with data of each person. */
    async plantDeadLetters(people: readonly Person[]) {
      for (const { word, browsers } of people) {
        const arrival = { profile_id: erased.profileId, client_id: browsers[0], received_at: new Date().toISOString() };
        const client = {
          country: 'CL',
          city: '',
          user_agent: { browser: '', os: '', device: 'unknown', is_bot: false },
        };
        const line = { v: 1, id: word, ...arrival, ...client, visits: [{ url: word }], broken: [], sealed: 'AA==' };
        // A second one from an unknown browser, which contains the e-mail address inside a URL.
        const url = `https://shop.example/?next=${encodeURIComponent(`/u?mail=${word}@mail.example`)}`;
        const stray = { ...line, id: `stray-${word}`, client_id: uuid(), visits: [{ url }] };
        const lines = ['no message', JSON.stringify(line), JSON.stringify(stray)];
        await stream.publish([{ id: `dead-${word}`, key: word, payload: Buffer.from(lines.join('\n')) }]);
      }
    },
    /** Sends visits of other visitors to both profiles. */
    startLoad(limit: number) {
      let sent = 0;
      const lane = async () => {
        while (sent < limit) {
          sent += 1;
          const { client, visits } = bystander(new Date());
          await sendVisits(client, visits);
        }
      };
      const lanesDone = Promise.all([lane(), lane()]);
      return { end: () => lanesDone.then(() => sent) };
    },
    async allDone(receipts: ReadonlyMap<string, string>, progress: (finished: number) => void) {
      const open = new Set(receipts.values());
      const deadline = performance.now() + 1_200_000;
      while (open.size > 0) {
        for (const receipt of [...open]) {
          const { body } = await erased.ask(`/api/v1/customers/erasures/${receipt}`);
          if (body.data.status !== 'done') break;
          open.delete(receipt);
        }
        progress(receipts.size - open.size);
        if (performance.now() > deadline) throw new Error(`${open.size} erasures are not done after 20 minutes.`);
        if (open.size > 0) await sleep(1_000);
      }
    },
    async settled() {
      const deadline = performance.now() + 300_000;
      while ((await dirty()) > 0) {
        if (performance.now() > deadline) throw new Error('Conversions are still not attributed after 5 minutes.');
        await sleep(200);
      }
    },
    reports: async () =>
      [await readReport(clickhouse, erased.profileId), await readReport(clickhouse, twin.profileId)] as const,
    /** Reads the stream from its beginning with a separate consumer. */
    async replayStream() {
      const consumer = await stream.consume({
        name: 'again',
        handler: pipeline(ingestion),
        maxMessages: 200,
        maxWaitMs: 100,
      });
      const end = await stream.end();
      while (!isPassed(await stream.consumedThrough('again'), end)) await sleep(200);
      await consumer.stop();
    },
    async deadLettersChecked() {
      for (let seconds = 0; seconds < 90; seconds += 1) {
        const found = await findCanaries({ postgres, clickhouse, stream, ring }, erased.profileId, new Set());
        if (!found['dead letters, opened']) return;
        await sleep(1_000);
      }
    },
    async replayAttribution() {
      const rest = { cause: 'drill', now: () => new Date(), signal: AbortSignal.timeout(600_000) };
      for (const { profileId } of both) await replay({ app: postgres, clickhouse }, { profileId, ...rest });
    },
    async close() {
      await Promise.all(processes.map((process) => process.kill()));
      await agent.close();
    },
  };
}

async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < items.length) await work(items[next++] as T);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
