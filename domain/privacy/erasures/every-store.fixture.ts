import { raw } from '@tributary/clickhouse';
import { tombstonesUnder } from '@tributary/domain/commerce/customers';
import { createLinkTokenReader } from '@tributary/domain/commerce/link-tokens/module.ts';
import { attribution, replay } from '@tributary/domain/measurement/attribution/module.ts';
import {
  forgetDeadLetters,
  type Ingestion,
  openIngestion,
  pipeline,
} from '@tributary/domain/traffic/ingestion/module.ts';
import { createRedis, redisReady, scanTexts } from '@tributary/redis';
import {
  browserVisit,
  buildTrackingKey,
  openApi,
  openTestkit,
  openWarehouse,
  processQueue,
  type TestApi,
  type Testkit,
  testRing,
  testVault,
} from '@tributary/testkit';
import { openPrivateStream, type PrivateStream } from '@tributary/testkit/stream';
import { startQueueWorker } from '@tributary/work';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest';
import { openShop, requestOf, type Shop } from './erasures.fixture.ts';
import { erasures } from './erasures.queue.ts';
import { verifyErasure } from './verify-erasure.ts';

export const minute = 60_000;
export const identify = (email: string) => ({ type: 'identify', traits: { email } });

interface Visit {
  readonly visitor_id: string;
  readonly url: string;
  readonly channel: string;
}

/** The whole pipeline from the visit stream to the reports, with its own profile for each test. */
export function useEveryStore() {
  let kit: Testkit;
  let api: TestApi;
  let warehouse: Awaited<ReturnType<typeof openWarehouse>>;
  let log: PrivateStream;
  let ingestion: Ingestion;
  let shop: Shop;
  let consumer: { stop(): Promise<void> } | undefined;
  let attributing: { stop(): Promise<void> };
  const tombstoneKey = testRing.eldest().bytes;
  beforeAll(async () => {
    kit = await openTestkit();
    [warehouse, log] = await Promise.all([openWarehouse(kit), openPrivateStream()]);
    api = await openApi(kit, { tombstoneKey: () => tombstoneKey });
    const now = () => kit.clock.now();
    ingestion = openIngestion({
      postgres: kit.app,
      clickhouse: warehouse.client,
      ring: testRing,
      readLinkToken: createLinkTokenReader(() => testVault.derive('link_token')),
      markVerified: async () => {},
      badBytesPerDay: 50 << 20,
      now,
    });
    startAttributing();
  });
  beforeEach(async () => {
    published.length = 0;
    shop = await openShop({ kit, api, clickhouse: warehouse.client });
    await buildTrackingKey(kit.app, shop.profileId);
  });
  afterEach(() => stopConsuming());
  afterAll(async () => {
    await attributing.stop();
    await log.destroy();
    await warehouse.drop();
    await api.close();
    await kit.close();
  });

  const signal = AbortSignal.timeout(300_000);
  let lettersThrough = 0;
  const queue = () =>
    erasures({
      app: kit.app,
      clickhouse: warehouse.client.settings,
      stream: log.stream,
      consumer: 'ingestion',
      opening: ingestion,
      now: () => kit.clock.now(),
    });
  const complete = async () => {
    const done = await processQueue(kit.system, 'erasures', queue());
    lettersThrough = (await forgetDeadLetters(ingestion, log.stream, signal, { after: lettersThrough })).through;
    return done;
  };
  const consume = async () => {
    consumer = await log.stream.consume({ name: 'ingestion', maxWaitMs: 10, handler: pipeline(ingestion) });
  };
  const stopConsuming = async () => {
    await consumer?.stop();
    consumer = undefined;
  };
  const startAttributing = () => {
    attributing = startQueueWorker({
      system: kit.system,
      systemUrl: kit.database.systemUrl,
      handlers: { attribution: attribution({ app: kit.app, clickhouse: warehouse.client, now: () => new Date() }) },
      blame: () => 'work',
      onFailure: ({ error }) => console.error(error),
      numbers: { paceMs: 20 },
    });
  };
  const drained = () =>
    vi.waitFor(async () => expect(await log.stream.waiting('ingestion')).toBe(0), {
      timeout: 20_000,
      interval: 20,
    });
  /** Everything that the test published, for publishing it again. */
  const published: Buffer[] = [];
  const publish = async (payload: Buffer) => {
    published.push(payload);
    await log.stream.publish([{ id: uuid(), key: uuid(), payload }]);
  };
  const sendAllAgain = async () => {
    for (const payload of published) await log.stream.publish([{ id: uuid(), key: uuid(), payload }]);
  };
  const requestNow = (client_id: string, ...visits: Record<string, unknown>[]) => {
    const now = kit.clock.now();
    return requestOf(
      shop.profileId,
      client_id,
      now,
      visits.map((visit) => browserVisit(now, visit)),
    );
  };
  const browse = (client_id: string, ...visits: Record<string, unknown>[]) =>
    publish(Buffer.from(requestNow(client_id, ...visits)));
  const columns = <Row>(text: string) => warehouse.client.query(raw<Row>(text), { profileId: shop.profileId });
  const visits = () =>
    columns<Visit>('SELECT * FROM visits FINAL WHERE profile_id = {profileId:UUID} ORDER BY occurred_at');
  /** Everything that a report could count. */
  const report = () =>
    columns(`SELECT * EXCEPT (person_id, version, content_hash, cause, cause_ref, applied_at) FROM attributed_conversions FINAL
      WHERE profile_id = {profileId:UUID} ORDER BY conversion_time, conversion_id`);
  const personIds = async () => {
    const tables = [
      'attributed_conversions',
      'attribution_history',
      'attribution_conversions',
      'attribution_links',
      'attribution_results',
      'attribution_touches',
    ];
    const ids = await Promise.all(
      tables.map((table) =>
        columns<{ id: string }>(`SELECT person_id AS id FROM ${table} WHERE profile_id = {profileId:UUID}`),
      ),
    );
    return new Set(ids.flat().map(({ id }) => id));
  };
  /** Inserts a person's id into every ClickHouse table with a person_id column and returns these tables. */
  const plant = async (personId: string) => {
    const tables = await columns<{ table: string }>(
      "SELECT table FROM system.columns WHERE database = currentDatabase() AND name = 'person_id' ORDER BY table",
    );
    for (const { table } of tables)
      await warehouse.client.command(
        raw(`INSERT INTO ${table} (profile_id, person_id) VALUES ({profileId:UUID}, {personId:UUID})`),
        { profileId: shop.profileId, personId },
      );
    return tables.map(({ table }) => table);
  };
  const replayAll = () =>
    replay(
      { app: kit.app, clickhouse: warehouse.client },
      { profileId: shop.profileId, cause: 'test', now: () => new Date(), signal },
    );
  const worked = () =>
    vi.waitFor(async () => expect(await shop.rows(sql`SELECT FROM dirty_conversions`)).toEqual([]), {
      timeout: 20_000,
      interval: 20,
    });
  const untilDone = (erasureId: string) =>
    vi.waitFor(
      async () => {
        await complete();
        expect((await shop.read(erasureId)).json().data.status).toBe('done');
      },
      { timeout: 30_000, interval: 100 },
    );
  const searchStores = async (erasureId: string, lookFor: readonly string[] = []) => {
    const redis = createRedis({ url: kit.redisUrl, prefix: kit.redisPrefix });
    await redisReady(redis);
    try {
      const certificate = await verifyErasure(
        {
          app: kit.app,
          clickhouse: warehouse.client,
          stream: log.stream,
          redisTexts: () => scanTexts(redis),
          opening: ingestion,
          tombstones: tombstonesUnder(() => tombstoneKey),
          vault: testVault,
          lookFor,
          now: kit.clock.now(),
          backupRetentionDays: 35,
          logRetentionDays: 7,
        },
        shop.profileId,
        erasureId,
      );
      if (!certificate) throw new Error('no such erasure');
      return certificate;
    } finally {
      redis.disconnect();
    }
  };

  /** Ana arrives from an ad, identifies herself and pays. */
  async function anaPays() {
    const client = uuid();
    await consume();
    const ad =
      'https://shop.example/shoes/ana?utm_source=google&utm_medium=cpc&utm_campaign=ana-soto&gclid=secretclickofana';
    await browse(client, { url: ad });
    kit.clock.advance(minute);
    await browse(
      client,
      { url: 'https://shop.example/b?utm_source=newsletter&utm_medium=email' },
      identify('ana@example.cl'),
    );
    await drained();
    await shop.event(
      'paid',
      { external_id: 'key-ana', email: 'ana@example.cl', first_name: 'Ana' },
      {
        event_name: 'payment_received',
        occurred_at: new Date(kit.clock.now().getTime() + minute).toISOString(),
        properties: { value: '100.01', currency: 'USD' },
      },
    );
    await worked();
    kit.clock.advance(2 * minute);
    const [customer] = await shop.rows<{ id: string }>(sql`SELECT id FROM customers`);
    return { client, customerId: customer?.id as string };
  }
  const eraseAna = async () => (await shop.erase({ customer_key: 'key-ana' })).json().data.erasure_id as string;
  return {
    get api() {
      return api;
    },
    get kit() {
      return kit;
    },
    get shop() {
      return shop;
    },
    get log() {
      return log.stream;
    },
    get clickhouse() {
      return warehouse.client;
    },
    /** Another tenant in the same stores. */
    openOther: () => openShop({ kit, api, clickhouse: warehouse.client }),
    queue,
    anaPays,
    browse,
    complete,
    consume,
    drained,
    eraseAna,
    personIds,
    plant,
    publish,
    replayAll,
    report,
    requestNow,
    sendAllAgain,
    startAttributing,
    stopAttributing: () => attributing.stop(),
    stopConsuming,
    untilDone,
    searchStores,
    visits,
    worked,
  };
}
