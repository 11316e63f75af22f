import { type ClickHouse, createClickHouse, raw, type TouchRow, type VisitRow } from '@tributary/clickhouse';
import { createPostgres } from '@tributary/postgres';
import { entityIdOf } from '@tributary/rules';
import { RetryLater } from '@tributary/stream';
import { browserVisit, buildProfile, buildTrackingKey, openTestWithClickHouse, testRing } from '@tributary/testkit';
import { createVault } from '@tributary/vault';
import { nilUuid } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { describe, expect, test } from 'vitest';
import { delivered, messageOf, openTestIngestion, robot, type Sent } from './ingestion.fixture.ts';
import { pipeline } from './pipeline.ts';
import { replayBadVisits } from './replay-bad-visits.ts';

const { kit, clickhouse } = await openTestWithClickHouse();
const ingestion = openTestIngestion(kit.app, clickhouse, () => kit.clock.now());

const visit = (changes: Record<string, unknown> = {}) => browserVisit(kit.clock.now(), changes);
const send = async (sent: Omit<Sent, 'receivedAt'>, into = ingestion) => {
  const message = delivered(messageOf({ receivedAt: kit.clock.now(), ...sent }));
  await pipeline(into)([message]);
  return message;
};
const rowsOf = <Row>(table: 'visits' | 'touches', profileId: string, client: ClickHouse = clickhouse) =>
  client.query(raw<Row>(`SELECT * FROM ${table} FINAL WHERE profile_id = {profileId:UUID} ORDER BY occurred_at`), {
    profileId,
  });
const inLedger = async <Row>(profileId: string, statement: ReturnType<typeof sql<Row>>) =>
  (await kit.app.forProfile(profileId).transaction((tx) => statement.execute(tx))).rows;
const linksOf = (profileId: string) =>
  inLedger(profileId, sql<{ visitor_id: string; customer_id: string; source: string }>`SELECT * FROM visitor_links`);
const identifiersOf = (profileId: string) =>
  inLedger(
    profileId,
    sql<{
      kind: string;
      value: string;
      customer_id: string;
    }>`SELECT kind, value, customer_id FROM identifiers ORDER BY kind`,
  );
const newCustomer = async (profileId: string, ...identifiers: [string, string][]) => {
  const id = uuid();
  await kit.app.forProfile(profileId).transaction(async (tx) => {
    const at = kit.clock.now();
    await sql`INSERT INTO customers (profile_id, id, sources, terms, first_seen_at, last_seen_at, created_at)
      VALUES (${profileId}, ${id}, '{import}', '{}', ${at}, ${at}, ${at})`.execute(tx);
    for (const [kind, value] of identifiers)
      await sql`INSERT INTO identifiers (profile_id, kind, value, customer_id, source, said_at, request_id)
        VALUES (${profileId}, ${kind}, ${value}, ${id}, 'import', ${at}, ${uuid()})`.execute(tx);
  });
  return id;
};

describe('a visit', () => {
  test('is stored with where it came from, and as a touch with its ad', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const one = visit({
      url: 'https://shop.example/shoes?utm_source=facebook&utm_medium=paid_social&campaign_id=120200000000000001&fbclid=AbCdEfGhIjKlMnOp',
      referrer: 'https://l.facebook.com/',
    });
    await send({ profileId, visits: [one] });
    const [row, ...more] = await rowsOf<VisitRow>('visits', profileId);
    expect(more).toEqual([]);
    expect(row).toMatchObject({
      visit_id: one.id,
      occurred_at: one.at,
      channel: 'paid_social',
      click_id_kind: 'fbclid',
      event_type: 'page_view',
      path: '/shoes',
      country: 'CL',
      city: 'Santiago',
      browser: 'Firefox',
    });
    expect(JSON.stringify(row)).not.toContain('AbCdEfGhIjKlMnOp');
    const [touch] = await rowsOf<TouchRow>('touches', profileId);
    expect(touch).toMatchObject({
      touch_id: one.id,
      visitor_id: row?.visitor_id,
      occurred_at: one.at,
      kind: 'visit',
      channel: 'paid_social',
      campaign_id: entityIdOf(profileId, String(row?.platform), 'campaign', '120200000000000001'),
      ad_id: nilUuid,
      join_method: 'url_parameters',
    });
  });

  test('has another visitor id than the browser says, the same at every visit, and another in another profile', async () => {
    const [here, there] = [await buildProfile(kit.app), await buildProfile(kit.app)];
    const client_id = uuid();
    for (const { id: profileId } of [here, here, there]) await send({ profileId, client_id, visits: [visit()] });
    const ids = async (profileId: string) => (await rowsOf<VisitRow>('visits', profileId)).map((row) => row.visitor_id);
    const [first, second] = await ids(here.id);
    expect(first).toBe(second);
    expect(await ids(there.id)).not.toContain(first);
    expect(first).not.toBe(client_id);
  });

  test('of the own site, by the profile’s settings, is no touch', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    await buildTrackingKey(kit.app, profileId, { ownHosts: ['partner.example'], redirectHosts: ['pay.example'] });
    const url = 'https://shop.example/';
    await send({
      profileId,
      visits: [visit({ url, referrer: 'https://partner.example/' }), visit({ url, referrer: 'https://pay.example/' })],
    });
    expect(await rowsOf('visits', profileId)).toHaveLength(2);
    expect(await rowsOf('touches', profileId)).toHaveLength(0);
  });

  test('of a robot is stored and marked; it is no touch, links nobody and converts nothing', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    await send({
      profileId,
      user_agent: robot,
      visits: [
        visit(),
        visit({ type: 'track', name: 'lead_created' }),
        visit({ type: 'identify', traits: { email: 'bot@example.com' } }),
      ],
    });
    const rows = await rowsOf<VisitRow>('visits', profileId);
    expect(rows.map(({ is_bot }) => is_bot)).toEqual([true, true, true]);
    expect(await rowsOf('touches', profileId)).toEqual([]);
    expect(await linksOf(profileId)).toEqual([]);
    expect(await inLedger(profileId, sql`SELECT FROM outcomes`)).toEqual([]);
  });

  test('of a profile that was deleted goes nowhere', async () => {
    const profileId = uuid();
    await send({ profileId, visits: [visit(), null] });
    expect(await rowsOf('visits', profileId)).toEqual([]);
  });

  test('that carries a nonce verifies', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const seen: string[] = [];
    const noting = openTestIngestion(kit.app, clickhouse, () => kit.clock.now(), {
      markVerified: async (_tx, profile, nonce) => void seen.push(`${profile} ${nonce}`),
    });
    await send(
      { profileId, visits: [visit({ verification: 'n-1' }), visit({ verification: 'n-1' }), visit()] },
      noting,
    );
    expect(seen).toEqual([`${profileId} n-1`]);
  });
});

describe('a browser that says who it is', () => {
  const identify = (traits: Record<string, string>, changes = {}) => visit({ type: 'identify', traits, ...changes });

  test('is linked to the customer who holds the identifier, and adds nothing to them', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const customerId = await newCustomer(profileId, ['email', 'ada@example.com']);
    await send({
      profileId,
      visits: [identify({ email: ' Ada@Example.com', phone: '+56912345678', first_name: 'Eve' })],
    });
    expect(await linksOf(profileId)).toMatchObject([{ customer_id: customerId, source: 'identify' }]);
    expect(await identifiersOf(profileId)).toMatchObject([{ kind: 'email', value: 'ada@example.com' }]);
    const [customer] = await inLedger(profileId, sql<{ first_name: string | null }>`SELECT first_name FROM customers`);
    expect(customer?.first_name).toBeNull();
  });

  test('never merges two customers', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const byEmail = await newCustomer(profileId, ['email', 'ada@example.com']);
    await newCustomer(profileId, ['external_customer_id', 'c-1']);
    await send({ profileId, visits: [identify({ email: 'ada@example.com', phone: '+56912345678' })] });
    await send({ profileId, visits: [identify({ email: 'ada@example.com', external_id: 'c-1' })] });
    expect(await inLedger(profileId, sql`SELECT FROM customers WHERE merged_into IS NOT NULL`)).toEqual([]);
    expect(await identifiersOf(profileId)).toHaveLength(2);
    expect((await linksOf(profileId)).map((link) => link.customer_id)).toContain(byEmail);
  });

  test('and is nobody we know becomes somebody with the strongest identifier alone; the next one with it is the same', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const traits = { email: 'new@example.com', phone: '+56912345678' };
    await send({ profileId, visits: [identify(traits)] });
    await send({ profileId, visits: [identify({ email: 'new@example.com' })] });
    expect(await identifiersOf(profileId)).toMatchObject([{ kind: 'email', value: 'new@example.com' }]);
    const links = await linksOf(profileId);
    expect(new Set(links.map((link) => link.customer_id)).size).toBe(1);
    expect(links).toHaveLength(2);
  });

  test('two strangers with one identifier in one batch are one new customer', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const both = [1, 2].map(() =>
      delivered(
        messageOf({ profileId, receivedAt: kit.clock.now(), visits: [identify({ email: 'both@example.com' })] }),
      ),
    );
    await pipeline(ingestion)(both);
    expect(await identifiersOf(profileId)).toHaveLength(1);
    expect(new Set((await linksOf(profileId)).map((link) => link.customer_id)).size).toBe(1);
  });

  test('stays whose it is, whatever it says later', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const client_id = uuid();
    await send({ profileId, client_id, visits: [identify({ email: 'first@example.com' })] });
    const [before] = await linksOf(profileId);
    await send({ profileId, client_id, visits: [identify({ email: 'second@example.com' })] });
    expect(await linksOf(profileId)).toEqual([before]);
    expect(await identifiersOf(profileId)).toHaveLength(1);
  });

  test('by a link token is linked to whom the token names, before what it says itself', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const customerId = await newCustomer(profileId, ['email', 'ada@example.com']);
    const resolving = openTestIngestion(kit.app, clickhouse, () => kit.clock.now(), {
      readLinkToken: (_profile, token) => (token === 'good' ? customerId : undefined),
    });
    await send({ profileId, visits: [visit({ link_token: 'bad' })] }, resolving);
    expect(await linksOf(profileId)).toEqual([]);
    await send({ profileId, visits: [identify({ email: 'eve@example.com' }, { link_token: 'good' })] }, resolving);
    expect(await linksOf(profileId)).toMatchObject([{ customer_id: customerId, source: 'link_token' }]);
  });

  test('brings its earlier touches: the customer’s conversions are worked out again', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const client_id = uuid();
    const customerId = await newCustomer(profileId, ['email', 'ada@example.com']);
    const outcomeId = uuid();
    const at = kit.clock.now();
    await inLedger(
      profileId,
      sql`INSERT INTO outcomes (profile_id, id, idempotency_key, event_name, event_type, event_key, event_type_key, customer_id,
        occurred_at, recorded_at, updated_at, rest) VALUES (${profileId}, ${outcomeId}, 'k', 'x', 'x', 'x', 'x', ${customerId}, ${at}, ${at}, ${at}, '{}')`,
    );
    await send({ profileId, client_id, visits: [visit()] });
    expect(await inLedger(profileId, sql`SELECT FROM dirty_conversions`)).toEqual([]);
    await send({ profileId, client_id, visits: [identify({ email: 'ada@example.com' })] });
    expect(await inLedger(profileId, sql`SELECT outcome_id, cause FROM dirty_conversions`)).toEqual([
      { outcome_id: outcomeId, cause: 'link' },
    ]);
  });
});

describe('what a browser did', () => {
  const outcomesOf = (profileId: string) =>
    inLedger(
      profileId,
      sql<
        Record<string, unknown>
      >`SELECT idempotency_key, event_name, amount, visitor_id, customer_id, rest FROM outcomes ORDER BY idempotency_key`,
    );

  test('and a definition lists is an outcome once, without money, of its browser', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const lead = visit({
      type: 'track',
      name: 'Lead_Created',
      properties: { value: 99, currency: 'USD', plan: 'pro' },
    });
    const other = visit({ type: 'track', name: 'scrolled' });
    for (let time = 0; time < 2; time += 1)
      await send({ profileId, client_id: '01890000-0000-7000-8000-000000000001', visits: [lead, other] });
    const [row] = await rowsOf<VisitRow>('visits', profileId);
    expect(await outcomesOf(profileId)).toEqual([
      {
        idempotency_key: `visit:${lead.id}`,
        event_name: 'Lead_Created',
        amount: null,
        visitor_id: row?.visitor_id,
        customer_id: null,
        rest: expect.objectContaining({ properties: { plan: 'pro' }, action_source: 'website' }),
      },
    ]);
  });

  test('never counts as cash', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    await send({ profileId, visits: [visit({ type: 'track', name: 'payment_received', properties: { value: 10 } })] });
    expect(await outcomesOf(profileId)).toEqual([]);
  });

  test('is its customer’s where the browser is known, also when both are said in one batch', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const customerId = await newCustomer(profileId, ['email', 'ada@example.com']);
    await send({
      profileId,
      visits: [
        visit({ type: 'track', name: 'lead_created' }),
        visit({ type: 'identify', traits: { email: 'ada@example.com' } }),
      ],
    });
    expect(await outcomesOf(profileId)).toMatchObject([{ customer_id: customerId }]);
  });

  test('is worked out again when a touch before it arrives late', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const client_id = uuid();
    await send({
      profileId,
      client_id,
      visits: [visit({ type: 'track', name: 'lead_created', is_session_start: false })],
    });
    await inLedger(profileId, sql`DELETE FROM dirty_conversions`);
    const anHourAgo = new Date(kit.clock.now().getTime() - 3_600_000).toISOString();
    await send({ profileId, client_id: uuid(), visits: [visit({ at: anHourAgo })] });
    expect(await inLedger(profileId, sql`SELECT FROM dirty_conversions`)).toEqual([]);
    await send({ profileId, client_id, visits: [visit({ at: anHourAgo })] });
    expect(await inLedger(profileId, sql`SELECT cause FROM dirty_conversions`)).toEqual([{ cause: 'late_touch' }]);
  });
});

describe('what could not be understood', () => {
  const badOf = (profileId: string) =>
    inLedger(
      profileId,
      sql<{
        id: string;
        reason: string;
        sealed: Buffer;
        replayed_at: Date | null;
      }>`SELECT * FROM bad_visits ORDER BY reason`,
    );

  test('is kept once, sealed, with its reason', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const message = messageOf({
      profileId,
      receivedAt: kit.clock.now(),
      visits: [{ url: 'canary' }, visit({ type: 'canary' }), visit()],
    });
    for (let time = 0; time < 2; time += 1) await pipeline(ingestion)([delivered(message)]);
    const rows = await badOf(profileId);
    expect(rows.map(({ reason }) => reason)).toEqual(['bad_id', 'bad_type']);
    expect(Buffer.concat(rows.map(({ sealed }) => sealed)).includes('canary')).toBe(false);
    expect(await rowsOf('visits', profileId)).toHaveLength(1);
  });

  test('is kept however much of it comes at once', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const requests = Array.from({ length: 300 }, () =>
      messageOf({ profileId, receivedAt: kit.clock.now(), visits: Array.from({ length: 50 }, () => null) }),
    );
    await pipeline(ingestion)([delivered(...requests)]);
    expect(await badOf(profileId)).toHaveLength(15_000);
  }, 30_000);

  test('is replayed after a fix, as if it came when it came, and only once', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const wanted = visit({ type: 'track', name: 'lead_created' });
    // What an older version of the rules could not read: the row is what such a version would have kept.
    const message = messageOf({
      profileId,
      receivedAt: kit.clock.now(),
      visits: [{}, { ...wanted, id: 'not yet' }, null],
    });
    await pipeline(ingestion)([delivered(message)]);
    const [bad] = await badOf(profileId);
    await reseal(profileId, bad?.id as string, wanted);
    kit.clock.advance(90 * 24 * 3_600_000);

    const dry = await replayBadVisits(ingestion, { profileId, isDryRun: true });
    expect(dry).toEqual({ total: 3, replayed: 1, stillBad: { bad_id: 1, not_an_object: 1 } });
    expect(await rowsOf('visits', profileId)).toEqual([]);
    const done: number[] = [];
    const first = await replayBadVisits(ingestion, {
      profileId,
      isDryRun: false,
      progress: (count) => done.push(count),
    });
    expect(first).toEqual(dry);
    expect(done).toEqual([3]);
    expect(await rowsOf<VisitRow>('visits', profileId)).toMatchObject([
      { visit_id: wanted.id, occurred_at: wanted.at },
    ]);
    expect(await inLedger(profileId, sql`SELECT FROM outcomes`)).toHaveLength(1);
    expect(await replayBadVisits(ingestion, { profileId, isDryRun: false })).toMatchObject({ total: 2, replayed: 0 });
  });

  async function reseal(profileId: string, id: string, sent: unknown): Promise<void> {
    const vault = createVault(testRing.keys('envelope'));
    const place = { table: 'bad_visits', column: 'sealed', row: id, profileId };
    const [row] = await inLedger(profileId, sql<{ sealed: Buffer }>`SELECT sealed FROM bad_visits WHERE id = ${id}`);
    const content = JSON.parse(vault.open(row?.sealed as Buffer, place));
    const sealed = vault.seal(JSON.stringify({ ...content, sent: JSON.stringify(sent) }), place);
    await inLedger(profileId, sql`UPDATE bad_visits SET sealed = ${sealed} WHERE id = ${id}`);
  }
});

describe('a message', () => {
  test('that is not ours becomes a dead letter and stops nobody else', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const strange = [delivered('no json'), delivered({ v: 2 }), delivered('null')];
    const good = delivered(messageOf({ profileId, receivedAt: kit.clock.now(), visits: [visit()] }));
    await pipeline(ingestion)([...strange, good]);
    expect(strange.map(({ rejected }) => rejected.length)).toEqual([1, 1, 1]);
    expect(good.rejected).toEqual([]);
    expect(await rowsOf('visits', profileId)).toHaveLength(1);
  });

  test('may hold several requests; one that is not ours does not stop the others', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const requests = [1, 2].map(() => messageOf({ profileId, receivedAt: kit.clock.now(), visits: [visit()] }));
    const message = delivered(requests[0], '{"v":0}', requests[1]);
    await pipeline(ingestion)([message]);
    expect(await rowsOf('visits', profileId)).toHaveLength(2);
    expect(message.rejected).toHaveLength(1);
  });

  test('sealed with a key that is newer than our last look is opened after another look; one that never opens is a dead letter', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const message = messageOf({ profileId, receivedAt: kit.clock.now(), visits: [visit({ link_token: 't' })] });
    let keys: ReturnType<typeof testRing.keys> = [{ id: 'older', bytes: Buffer.alloc(32, 1) }];
    const ring = { ...testRing, keys: () => keys };
    const late = openTestIngestion(kit.app, clickhouse, () => kit.clock.now(), {
      ring: {
        ...ring,
        refresh: async () => {
          keys = testRing.keys('stream');
        },
      },
    });
    const first = delivered(message);
    await pipeline(late)([first]);
    expect(first.rejected).toEqual([]);
    keys = [{ id: 'older', bytes: Buffer.alloc(32, 1) }];
    const never = openTestIngestion(kit.app, clickhouse, () => kit.clock.now(), { ring });
    const second = delivered(message);
    await pipeline(never)([second]);
    expect(second.rejected).toHaveLength(1);
  });

  test('waits while a store is away', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const message = delivered(messageOf({ profileId, receivedAt: kit.clock.now(), visits: [visit()] }));
    const nowhere = createClickHouse({ url: 'http://127.0.0.1:1', database: 'none' });
    const withoutClickHouse = openTestIngestion(kit.app, nowhere, () => kit.clock.now());
    await expect(pipeline(withoutClickHouse)([message])).rejects.toThrow(RetryLater);
    await nowhere.close();
    const gone = createPostgres({ url: 'postgres://nobody@127.0.0.1:1/none', poolSize: 1 });
    const withoutPostgres = openTestIngestion(gone, clickhouse, () => kit.clock.now());
    await expect(pipeline(withoutPostgres)([message])).rejects.toThrow(RetryLater);
    await gone.close();
    expect(message.rejected).toEqual([]);
  }, 20_000);
});
