import { raw } from '@tributary/clickhouse';
import { createLinkTokenReader, sealLinkToken } from '@tributary/domain/commerce/link-tokens/module.ts';
import { browserVisit, buildProfile, openTestWithClickHouse } from '@tributary/testkit';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { beforeEach, expect, test } from 'vitest';
import { delivered, messageOf, openTestIngestion, robot, type Sent } from './ingestion.fixture.ts';
import { pipeline } from './pipeline.ts';

const key = { id: 'k1', bytes: Buffer.alloc(32, 3) };
const { kit, clickhouse } = await openTestWithClickHouse();
const readLinkToken = createLinkTokenReader(() => [key]);
const ingestion = openTestIngestion(kit.app, clickhouse, () => kit.clock.now(), { readLinkToken });
let profileId: string;
let ana: string;
beforeEach(async () => {
  ({ id: profileId } = await buildProfile(kit.app));
  ana = await newCustomer('ana@example.cl');
});

const dayMs = 86_400_000;
const inDays = (days: number) => new Date(kit.clock.now().getTime() + days * dayMs);
const tokenOf = (customerId: string, expiresAt = inDays(90)) =>
  sealLinkToken(key, profileId, { customerId, expiresAt });
const send = async (visit: Record<string, unknown>, more: Partial<Sent> = {}) => {
  const visits = [browserVisit(kit.clock.now(), visit)];
  const message = delivered(messageOf({ profileId, receivedAt: kit.clock.now(), visits, ...more }));
  await pipeline(ingestion)([message]);
  expect(message.rejected).toEqual([]);
};
const inLedger = async <Row>(statement: ReturnType<typeof sql<Row>>) =>
  (await kit.app.forProfile(profileId).transaction((tx) => statement.execute(tx))).rows;
const links = () =>
  inLedger(
    sql<{ customer_id: string; source: string }>`SELECT customer_id, source FROM visitor_links ORDER BY linked_at`,
  );
const visits = async () => {
  const query = raw<{ n: string }>('SELECT count() AS n FROM visits FINAL WHERE profile_id = {profileId:UUID}');
  return Number((await clickhouse.query(query, { profileId }))[0]?.n);
};
async function newCustomer(email: string): Promise<string> {
  const id = uuid();
  const at = kit.clock.now();
  await inLedger(sql`INSERT INTO customers (profile_id, id, sources, terms, first_seen_at, last_seen_at, created_at)
    VALUES (${profileId}, ${id}, '{import}', '{}', ${at}, ${at}, ${at})`);
  await inLedger(sql`INSERT INTO identifiers (profile_id, kind, value, customer_id, source, said_at)
    VALUES (${profileId}, 'email', ${email}, ${id}, 'import', ${at})`);
  return id;
}

test('[link-054] a token links the browser to its customer and takes precedence over identify', async () => {
  const eva = await newCustomer('eva@example.cl');
  await send({ type: 'identify', traits: { email: 'eva@example.cl' }, link_token: tokenOf(ana) });
  expect(await links()).toEqual([{ customer_id: ana, source: 'link_token' }]);
  expect(eva).not.toBe(ana);
});

test('[link-044][link-045][link-046] a changed, foreign or expired token is ignored: the visit counts, and the browser stays unlinked', async () => {
  const good = tokenOf(ana);
  const { id: otherProfile } = await buildProfile(kit.app);
  const bad = [
    good.slice(0, -1) + (good.endsWith('A') ? 'B' : 'A'),
    good.slice(1),
    'not-a-token',
    tokenOf(ana, inDays(-2)),
    sealLinkToken(key, otherProfile, { customerId: ana, expiresAt: inDays(90) }),
    sealLinkToken({ id: 'k2', bytes: Buffer.alloc(32, 4) }, profileId, { customerId: ana, expiresAt: inDays(90) }),
  ];
  for (const link_token of bad) await send({ link_token });
  expect(await links()).toEqual([]);
  expect(await visits()).toBe(bad.length);
  expect(await inLedger(sql`SELECT FROM bad_visits`)).toEqual([]);
});

test('a token expires by arrival time, not by the visit’s own time, with one day of grace for delayed visits', async () => {
  const daysAgo = (days: number) => ({ at: inDays(-days).toISOString() });
  await send({ ...daysAgo(11), link_token: tokenOf(ana, inDays(-10)) });
  expect(await links()).toEqual([]);
  await send({ ...daysAgo(1), link_token: tokenOf(ana, inDays(-0.9)) });
  expect(await links()).toEqual([{ customer_id: ana, source: 'link_token' }]);
});

test('[link-048] a token never moves a browser that is linked to another customer', async () => {
  const eva = await newCustomer('eva@example.cl');
  const client_id = uuid();
  await send({ link_token: tokenOf(eva) }, { client_id });
  await send({ link_token: tokenOf(ana) }, { client_id });
  expect(await links()).toEqual([{ customer_id: eva, source: 'link_token' }]);
});

test('[link-055] a link moves the browser’s earlier outcomes to the customer, and marks their conversions', async () => {
  const client_id = uuid();
  await inLedger(sql`INSERT INTO outcomes (profile_id, id, idempotency_key, event_name, event_type, event_key, event_type_key, customer_id,
    occurred_at, recorded_at, updated_at, rest) VALUES (${profileId}, ${uuid()}, 'paid', 'x', 'x', 'x', 'x', ${ana},
    ${kit.clock.now()}, ${kit.clock.now()}, ${kit.clock.now()}, '{}')`);
  await send({ type: 'track', name: 'lead_created' }, { client_id });
  await inLedger(sql`DELETE FROM dirty_conversions`);
  await send({ link_token: tokenOf(ana) }, { client_id });
  expect(await inLedger(sql`SELECT customer_id FROM outcomes`)).toEqual([{ customer_id: ana }, { customer_id: ana }]);
  expect(await inLedger(sql`SELECT FROM dirty_conversions`)).toHaveLength(2);
});

test('after a merge the token links the survivor; after the customer’s deletion it links nothing', async () => {
  const token = tokenOf(ana);
  const elder = await newCustomer('elder@example.cl');
  const eldest = await newCustomer('eldest@example.cl');
  await inLedger(sql`UPDATE identifiers SET customer_id = ${eldest}`);
  await inLedger(sql`UPDATE customers SET merged_into = ${elder} WHERE id = ${ana}`);
  await inLedger(sql`UPDATE customers SET merged_into = ${eldest} WHERE id = ${elder}`);
  await send({ link_token: token });
  expect(await links()).toEqual([{ customer_id: eldest, source: 'link_token' }]);
  await inLedger(sql`DELETE FROM visitor_links`);
  await inLedger(sql`DELETE FROM customers WHERE id = ${ana}`);
  await send({ link_token: token });
  expect(await links()).toEqual([]);
});

test('a bot that follows a link with a token is not linked', async () => {
  await send({ link_token: tokenOf(ana) }, { user_agent: robot });
  expect(await links()).toEqual([]);
});
