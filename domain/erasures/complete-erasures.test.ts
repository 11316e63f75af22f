import { createPublicKey, verify } from 'node:crypto';
import { clearedVisit, raw } from '@tributary/clickhouse';
import { replay, startAttribution } from '@tributary/domain/attribution';
import { tombstonesUnder } from '@tributary/domain/customers';
import { type Ingestion, openIngestion, pipeline } from '@tributary/domain/ingestion';
import { linkTokenReader } from '@tributary/domain/link-tokens';
import { createRedis, readTexts, redisReady } from '@tributary/redis';
import {
  browserVisit,
  buildTrackingKey,
  openApi,
  openTestkit,
  openWarehouse,
  type TestApi,
  type Testkit,
  testVault,
} from '@tributary/testkit';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openPrivateStream, type PrivateStream } from '../../packages/stream/testing/private-stream.ts';
import { completeErasures } from './complete-erasures.job.ts';
import { openPlace, type Place, requestOf, testRing } from './erasures.fixture.ts';
import { signCertificate, verifyErasure } from './verify-erasure.ts';

let kit: Testkit;
let api: TestApi;
let warehouse: Awaited<ReturnType<typeof openWarehouse>>;
let log: PrivateStream;
let ingestion: Ingestion;
let place: Place;
let consumer: { stop(): Promise<void> } | undefined;
let attribution: { stop(): Promise<void> };
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
    readLinkToken: linkTokenReader(() => testVault.derive('link_token')),
    markVerified: async () => {},
    now,
  });
  attribution = startAttribution({
    app: kit.app,
    system: kit.system,
    clickhouse: warehouse.client,
    now: () => new Date(),
    onError: (error) => console.error(error),
    idleMs: 20,
  });
});
beforeEach(async () => {
  place = await openPlace(kit, api);
  await buildTrackingKey(kit.app, place.profileId);
});
afterEach(() => stopConsuming());
afterAll(async () => {
  await attribution.stop();
  await log.destroy();
  await warehouse.drop();
  await api.close();
  await kit.close();
});

const minute = 60_000;
const signal = AbortSignal.timeout(300_000);
const letters = { through: 0 };
const complete = () =>
  completeErasures(
    {
      app: kit.app,
      system: kit.system,
      clickhouse: warehouse.client.settings,
      stream: log.stream,
      consumer: 'ingestion',
      opening: ingestion,
      letters,
      now: () => kit.clock.now(),
    },
    signal,
  );
const consume = async () => {
  consumer = await log.stream.consume({ name: 'ingestion', maxWaitMs: 10, handler: pipeline(ingestion) });
};
const stopConsuming = async () => {
  await consumer?.stop();
  consumer = undefined;
};
const drained = () =>
  vi.waitFor(async () => expect(await log.stream.consumedThrough('ingestion')).toBe(await log.stream.lastSequence()), {
    timeout: 20_000,
    interval: 20,
  });
/** The last requests that were published, to be published again. */
const published: Buffer[] = [];
const publish = async (payload: Buffer) => {
  published.push(payload);
  await log.stream.publish([{ id: uuid(), key: uuid(), payload }]);
};
const requestNow = (client_id: string, ...visits: Record<string, unknown>[]) => {
  const now = kit.clock.now();
  return requestOf(
    place.profileId,
    client_id,
    now,
    visits.map((visit) => browserVisit(now, visit)),
  );
};
const browse = (client_id: string, ...visits: Record<string, unknown>[]) =>
  publish(Buffer.from(requestNow(client_id, ...visits)));
const identify = (email: string, more: object = {}) => ({ type: 'identify', traits: { email }, ...more });
const columns = <Row>(text: string) => warehouse.client.query(raw<Row>(text), { profileId: place.profileId });
interface Visit {
  readonly visitor_id: string;
  readonly url: string;
  readonly channel: string;
}
const visits = () =>
  columns<Visit>('SELECT * FROM visits FINAL WHERE profile_id = {profileId:UUID} ORDER BY occurred_at');
/** All that a report could count. */
const report = () =>
  columns(`SELECT * EXCEPT (person_id, version, content_hash, cause) FROM attributed_conversions FINAL
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
const worked = () =>
  vi.waitFor(async () => expect(await place.rows(sql`SELECT FROM dirty_conversions`)).toEqual([]), {
    timeout: 20_000,
    interval: 20,
  });
const untilDone = (erasureId: string) =>
  vi.waitFor(
    async () => {
      await complete();
      expect((await place.read(erasureId)).json().data.status).toBe('done');
    },
    { timeout: 30_000, interval: 100 },
  );
const verifyIt = async (erasureId: string) => {
  const redis = createRedis({ url: kit.redisUrl, prefix: kit.redisPrefix });
  await redisReady(redis);
  try {
    const certificate = await verifyErasure(
      {
        app: kit.app,
        clickhouse: warehouse.client,
        stream: log.stream,
        redisTexts: () => readTexts(redis),
        opening: ingestion,
        tombstones: tombstonesUnder(() => tombstoneKey),
        vault: testVault,
        now: kit.clock.now(),
        backupRetentionDays: 35,
        logRetentionDays: 7,
      },
      place.profileId,
      erasureId,
    );
    if (!certificate) throw new Error('no such erasure');
    return certificate;
  } finally {
    redis.disconnect();
  }
};

/** Ana came by an ad, said who she is, and paid. */
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
  await place.event(
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
  const [customer] = await place.rows<{ id: string }>(sql`SELECT id FROM customers`);
  return { client, customerId: customer?.id as string };
}
const eraseAna = async () => (await place.erase({ customer_key: 'key-ana' })).json().data.erasure_id as string;

describe('an erasure is done', () => {
  test('[eras-014][eras-029] when the columns know nobody; reports are the same, also after a replay', async () => {
    const { customerId } = await anaPays();
    const before = await report();
    expect(before).toMatchObject([{ value: '10001', touch_count: 3 }]);
    expect(await personIds()).toEqual(new Set([customerId]));
    expect((await visits()).some(({ url }) => url.includes('ana'))).toBe(true);

    const erasureId = await eraseAna();
    expect((await place.read(erasureId)).json().data).toMatchObject({ status: 'queued', completed_at: null });
    await untilDone(erasureId);
    expect((await place.read(erasureId)).json().data.completed_at).toBe(kit.clock.now().toISOString());

    expect(await report()).toEqual(before);
    const [shell] = await place.rows<{ id: string }>(sql`SELECT id FROM customers`);
    expect(await personIds()).toEqual(new Set([shell?.id]));
    for (const visit of await visits()) expect(visit).toMatchObject(clearedVisit);
    expect((await visits()).map(({ channel }) => channel)).toContain('paid_search');

    const options = { profileId: place.profileId, cause: 'test', now: () => new Date(), signal };
    await replay({ app: kit.app, clickhouse: warehouse.client }, options);
    expect(await report()).toEqual(before);
    expect(await personIds()).toEqual(new Set([shell?.id]));
    expect(await place.rows(sql`SELECT FROM erasure_work`)).toEqual([]);
  });

  test('and a search of every store finds nobody; the certificate is signed', async () => {
    await anaPays();
    const erasureId = await eraseAna();
    expect((await verifyIt(erasureId)).found).toBeGreaterThan(0);
    await untilDone(erasureId);
    const certificate = await verifyIt(erasureId);
    expect(certificate).toMatchObject({
      status: 'done',
      found: 0,
      rows_cleared: { customers: 1, outcomes: 1, visitor_links: 1, visits: 3 },
    });
    expect(Date.parse(certificate.backups_expire_at) - Date.parse(certificate.requested_at)).toBe(35 * 86_400_000);
    const { signature, public_key } = signCertificate(certificate, tombstoneKey);
    const key = createPublicKey({ key: Buffer.from(public_key, 'base64'), format: 'der', type: 'spki' });
    const isRight = (text: string) => verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'));
    expect(isRight(JSON.stringify(certificate))).toBe(true);
    expect(isRight(JSON.stringify({ ...certificate, found: 1 }))).toBe(false);
    // One that was planted is found.
    await place.rows(sql`UPDATE outcomes SET rest = '{"note": "ana@example.cl"}'`);
    expect((await verifyIt(erasureId)).found).toBe(1);
  });

  test('only after the consumer has passed what was in the log, and those visits are forgotten with the others', async () => {
    const { client } = await anaPays();
    await stopConsuming();
    await browse(client, { url: 'https://shop.example/late/ana' });
    const other = uuid();
    await browse(other, { url: 'https://shop.example/other-browser/ana' }, identify('ana@example.cl'));
    kit.clock.advance(minute);
    const erasureId = await eraseAna();
    await worked();
    expect(await complete()).toBe(0);
    expect((await place.read(erasureId)).json().data.status).toBe('queued');

    await consume();
    await drained();
    await untilDone(erasureId);
    // The other browser turned out to be hers on its way: it went where hers went, and nobody became known.
    expect(await place.rows(sql`SELECT count(DISTINCT customer_id)::int AS n FROM visitor_links`)).toEqual([{ n: 1 }]);
    expect(await place.rows(sql`SELECT FROM identifiers`)).toEqual([]);
    expect(await visits()).toHaveLength(6);
    for (const visit of await visits()) expect(visit).toMatchObject(clearedVisit);
    expect((await verifyIt(erasureId)).found).toBe(0);
  });
});

test('what a batch recorded that had begun before the erasure is cleared, too', async () => {
  await anaPays();
  const erasureId = await eraseAna();
  const [shell] = await place.rows<{ id: string }>(sql`SELECT id FROM customers`);
  await place.rows(sql`INSERT INTO outcomes (profile_id, id, idempotency_key, event_name, event_type, event_key, event_type_key, customer_id,
    occurred_at, recorded_at, updated_at, rest) SELECT ${place.profileId}, ${uuid()}, 'visit:late', 'x', 'x', 'x', 'x', ${shell?.id},
    occurred_at, occurred_at, occurred_at, '{"page_url": "https://shop.example/ana"}' FROM outcomes LIMIT 1`);
  await untilDone(erasureId);
  expect(await place.rows(sql`SELECT rest FROM outcomes WHERE idempotency_key = 'visit:late'`)).toEqual([{ rest: {} }]);
});

describe('afterwards', () => {
  test('all that was ever sent, sent again, brings nothing back', async () => {
    published.length = 0;
    await anaPays();
    const before = await report();
    const erasureId = await eraseAna();
    await untilDone(erasureId);
    for (const payload of [...published]) await log.stream.publish([{ id: uuid(), key: uuid(), payload }]);
    await drained();
    await worked();
    for (const visit of await visits()) expect(visit).toMatchObject(clearedVisit);
    expect(await visits()).toHaveLength(3);
    expect(await place.rows(sql`SELECT FROM identifiers`)).toEqual([]);
    expect(await report()).toEqual(before);
    expect((await verifyIt(erasureId)).found).toBe(0);
  });

  test('[eras-031] the returning browser is a stranger, whom a link token of before does not make hers', async () => {
    const { client } = await anaPays();
    const { token } = await place.mint({ customer_key: 'key-ana' });
    const [before] = await visits();
    await untilDone(await eraseAna());
    kit.clock.advance(minute);
    await browse(client, { url: 'https://shop.example/again', link_token: token });
    await drained();
    const again = (await visits()).find(({ url }) => url.endsWith('/again'));
    expect(again?.visitor_id).not.toBe(before?.visitor_id);
    expect(await place.rows(sql`SELECT visitor_id FROM visitor_links`)).toEqual([{ visitor_id: before?.visitor_id }]);
    // It may become somebody anew, and that somebody may be erased, too.
    await browse(client, identify('ana@example.cl'));
    await drained();
    const [, known] = await place.rows<{ visitor_id: string }>(
      sql`SELECT visitor_id FROM visitor_links ORDER BY linked_at`,
    );
    expect(known?.visitor_id).toBe(again?.visitor_id);
    kit.clock.advance(minute);
    const second = (await place.erase({ email: 'ana@example.cl' })).json().data.erasure_id;
    await untilDone(second);
    kit.clock.advance(minute);
    await browse(client, { url: 'https://shop.example/third' });
    await drained();
    expect(new Set((await visits()).map(({ visitor_id }) => visitor_id)).size).toBe(3);
  });

  test('an identify that was delayed until the erasure was done makes nobody known', async () => {
    await anaPays();
    await stopConsuming();
    const said = requestNow(uuid(), identify('ana@example.cl'));
    kit.clock.advance(minute);
    const erasureId = await eraseAna();
    await consume();
    await untilDone(erasureId);
    await publish(Buffer.from(said));
    await drained();
    expect(await place.rows(sql`SELECT FROM identifiers`)).toEqual([]);
    expect(await place.rows(sql`SELECT FROM visitor_links`)).toHaveLength(1);
  });

  test('what another browser does stays as it was', async () => {
    await anaPays();
    const eva = uuid();
    await browse(eva, { url: 'https://shop.example/eva' }, identify('eva@example.cl'));
    await drained();
    await untilDone(await eraseAna());
    expect((await visits()).filter(({ url }) => url.includes('eva'))).toHaveLength(1);
    expect(await place.rows(sql`SELECT value FROM identifiers`)).toEqual([{ value: 'eva@example.cl' }]);
  });
});

describe('what could not be understood', () => {
  const badRows = async () => (await place.rows(sql`SELECT FROM bad_visits`)).length;

  test('bad rows of the browser and those that name the person go, and do not come back; others stay', async () => {
    published.length = 0;
    const { client } = await anaPays();
    await browse(client, { url: 'no address' });
    await browse(uuid(), { ...identify('ana@example.cl'), session_id: 'no id' });
    await browse(uuid(), { ...identify('eva@example.cl'), session_id: 'no id' });
    await drained();
    expect(await badRows()).toBe(3);
    kit.clock.advance(minute);
    await untilDone(await eraseAna());
    expect(await badRows()).toBe(1);
    for (const payload of [...published]) await log.stream.publish([{ id: uuid(), key: uuid(), payload }]);
    await drained();
    expect(await badRows()).toBe(1);
  });

  test('of a dead letter goes the line that is the person’s; the others stay in it', async () => {
    const { client } = await anaPays();
    const lines = [
      'no message of ours',
      requestNow(client, { url: 'https://shop.example/dead/ana' }),
      requestNow(uuid(), { url: 'https://shop.example/dead/eva' }),
      requestNow(uuid(), identify('ana@example.cl')),
    ];
    const before = await log.stream.deadLetters.count();
    await publish(Buffer.from(lines.join('\n')));
    await drained();
    await vi.waitFor(async () => expect(await log.stream.deadLetters.count()).toBe(before + 1));
    kit.clock.advance(minute);
    await untilDone(await eraseAna());
    const { letters } = await log.stream.deadLetters.list({ limit: 100 });
    expect(letters).toHaveLength(before + 1);
    const text = Buffer.from(letters.at(-1)?.payload ?? []).toString();
    expect(text.split('\n')).toEqual([lines[0], lines[2]]);

    // The same message dies once more, long after.
    await publish(Buffer.from(lines.join('\n')));
    await drained();
    await vi.waitFor(async () => expect(await log.stream.deadLetters.count()).toBe(before + 2));
    await complete();
    const again = (await log.stream.deadLetters.list({ limit: 100 })).letters.at(-1);
    expect(Buffer.from(again?.payload ?? []).toString()).toBe(text);
  });
});
