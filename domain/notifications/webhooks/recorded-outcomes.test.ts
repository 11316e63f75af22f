import { sweepOld } from '@tributary/postgres';
import { buildApiKey, buildMember } from '@tributary/testkit';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { openShop, openWebhooks, startReceiver } from './webhooks.fixture.ts';

const { kit, api, deliver, tell } = await openWebhooks();
const receiver = await startReceiver();
/** One receiver per test: a connection left open by another test changes the order of arrival. */
const unmet = await startReceiver();
const takes = receiver.answer;
beforeEach(() => {
  kit.clock.set('2026-06-15T12:00:00Z');
  receiver.received.length = 0;
  receiver.answer = takes;
});
const url = '/api/v1/outcomes/recorded';
const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);

test('[evnt-002] [evnt-003] [evnt-004] [evnt-041] pages through all events in a stable order, with a cursor on every page', async () => {
  const shop = await openShop(kit, api);
  for (let count = 0; count < 5; count += 1) {
    await tell(shop.id, { externalId: `o-${count}` });
    await deliver();
  }
  const whole = await shop.call('GET', url);
  expect(whole.data.map((event: { data: { external_id: string } }) => event.data.external_id)).toEqual([
    'o-0',
    'o-1',
    'o-2',
    'o-3',
    'o-4',
  ]);
  const ids: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await shop.call('GET', `${url}?limit=2${cursor ? `&cursor=${cursor}` : ''}`);
    ids.push(...idsOf(page));
    expect(page.pagination.cursor).toEqual(expect.any(String));
    cursor = page.pagination.cursor;
    if (!page.pagination.has_next) break;
  }
  expect(ids).toEqual(idsOf(whole));
});

test('[evnt-042] [evnt-043] the cursor of the last page returns only later events', async () => {
  const shop = await openShop(kit, api);
  const empty = await shop.call('GET', url);
  expect(empty).toMatchObject({ data: [], pagination: { has_next: false, cursor: expect.any(String) } });
  await tell(shop.id, { externalId: 'first' });
  await deliver();
  const page = await shop.call('GET', `${url}?cursor=${empty.pagination.cursor}`);
  expect(page.data).toHaveLength(1);
  const next = () => shop.call('GET', `${url}?cursor=${page.pagination.cursor}`);
  expect(await next()).toMatchObject({ data: [], pagination: { has_next: false, cursor: page.pagination.cursor } });
  await tell(shop.id, { externalId: 'second' });
  await deliver();
  expect((await next()).data).toMatchObject([{ data: { external_id: 'second' } }]);
});

test('[evnt-040] [evnt-030] [evnt-038] returns the ids of the deliveries in order, once per outcome, even if it was reported repeatedly', async () => {
  const shop = await openShop(kit, api);
  await shop.subscribe(unmet.url, { events: ['outcome.recorded'] });
  const ids = Array.from({ length: 40 }, (_, number) => `o-${number}`);
  for (const externalId of [...ids, 'o-3']) await tell(shop.id, { externalId });
  // Every third response is late; later events must not overtake it.
  unmet.answer = (_request, response) =>
    void setTimeout(() => response.writeHead(204).end(), unmet.received.length % 3 === 0 ? 20 : 0);
  // A slow machine needs several batches.
  for (let turns = 0; turns < 20 && unmet.received.length < ids.length; turns += 1) await deliver();
  const { data } = await shop.call('GET', `${url}?limit=100`);
  expect(new Set(data.map((event: { data: { external_id: string } }) => event.data.external_id))).toEqual(new Set(ids));
  expect(data).toHaveLength(ids.length);
  expect(unmet.events()).toEqual(data);
});

test('[evnt-039] a retried delivery arrives after later ones; the replay keeps the order', async () => {
  const shop = await openShop(kit, api);
  await shop.subscribe(receiver.url, { events: ['outcome.recorded'] });
  receiver.answer = (_request, response) => void response.writeHead(receiver.received.length === 1 ? 500 : 204).end();
  const arrived = () => receiver.events().map(({ data }) => data.external_id);
  for (const externalId of ['first', 'second']) {
    await tell(shop.id, { externalId });
    await deliver();
  }
  kit.clock.advance(6_000);
  await deliver();
  expect(arrived()).toEqual(['first', 'second', 'first']);
  const { data } = await shop.call('GET', url);
  expect(data.map((event: { data: { external_id: string } }) => event.data.external_id)).toEqual(['first', 'second']);
});

test('[evnt-037] an old outcome is delivered when it is recorded', async () => {
  const shop = await openShop(kit, api);
  await tell(shop.id, { occurredAt: new Date('2019-03-01T12:00:00Z') });
  await deliver();
  const { data } = await shop.call('GET', url);
  expect(data[0].data).toMatchObject({
    occurred_at: '2019-03-01T12:00:00.000Z',
    recorded_at: kit.clock.now().toISOString(),
  });
});

test('[evnt-045] leaves out events of erased customers and still fills the page', async () => {
  const shop = await openShop(kit, api);
  const outcomeIds: string[] = [];
  for (let count = 0; count < 6; count += 1) {
    outcomeIds.push(await tell(shop.id, { externalId: `o-${count}`, email: `p${count}@example.com` }));
    await deliver();
  }
  await kit.app
    .forProfile(shop.id)
    .transaction((tx) =>
      sql`UPDATE outcomes SET erased_at = ${kit.clock.now()} WHERE id = ANY (${outcomeIds.slice(0, 3)}::uuid[])`.execute(
        tx,
      ),
    );
  const page = await shop.call('GET', `${url}?limit=2`);
  expect(page.data.map((event: { data: { external_id: string } }) => event.data.external_id)).toEqual(['o-3', 'o-4']);
  expect(page.pagination.has_next).toBe(true);
  const last = await shop.call('GET', `${url}?limit=2&cursor=${page.pagination.cursor}`);
  expect([last.data.length, last.pagination.has_next]).toEqual([1, false]);
});

test('[evnt-032] [evnt-033] callers without customers:read get events without contacts; reads of personal data are logged', async () => {
  const shop = await openShop(kit, api);
  await tell(shop.id, { key: 'c-17' });
  await deliver();
  await tell(shop.id, { email: 'b@example.com', key: 'b@example.com' });
  await deliver();
  const { headers } = await buildApiKey(kit.app, shop.id, { scopes: ['conversions:read'], appId: shop.appId });
  const { data } = await shop.call('GET', url, undefined, headers);
  expect(data.map((event: { data: object }) => event.data)).toMatchObject([
    { customer_key: 'c-17', contact: null, contact_withheld: true },
    { customer_key: null, contact: null, contact_withheld: true },
  ]);
  const whole = await shop.call('GET', url);
  expect(whole.data[1].data).toMatchObject({ customer_key: 'b@example.com', contact: { email: 'b@example.com' } });
  const log = await kit.app
    .forWorkspace(shop.workspaceId)
    .transaction((tx) => tx.selectFrom('pii_access_log').select(['operation', 'people']).orderBy('id').execute());
  expect(log).toEqual([
    { operation: 'listRecordedOutcomes', people: 1 },
    { operation: 'listRecordedOutcomes', people: 2 },
  ]);
});

test('[evnt-031] [evnt-036] returns nothing to another app or for a healthcare-family profile, but does to a member', async () => {
  const shop = await openShop(kit, api);
  await tell(shop.id);
  await deliver();
  const other = await openShop(kit, api);
  const foreign = await buildApiKey(kit.app, shop.id, { scopes: ['conversions:read'], appId: other.appId });
  expect(((await shop.call('GET', url, undefined, foreign.headers)).data ?? []).length).toBe(0);
  const owner = await buildMember(kit.app, shop.workspaceId, 'owner');
  const session = owner.headers({ profileId: shop.id });
  expect((await shop.call('GET', url, undefined, session)).data).toHaveLength(1);
  await kit.app
    .forProfile(shop.id)
    .transaction((tx) => sql`UPDATE profiles SET privacy_mode = 'hipaa' WHERE id = ${shop.id}`.execute(tx));
  expect((await shop.call('GET', url, undefined, session)).data).toEqual([]);
});

test.each(['x', 'b3V0Y29tZXM6LTE', 'b3V0Y29tZXM6MDE', 'YQ'])(
  'returns 400 for a cursor that this route did not issue: %s',
  async (cursor) => {
    const shop = await openShop(kit, api);
    const { status, error } = await shop.call('GET', `${url}?cursor=${cursor}`);
    expect([status, error.code, error.field]).toEqual([400, 'invalid_parameter', 'cursor']);
  },
);

test('[evnt-044] [lim-023] an event can be replayed for 90 days after its last delivery, even a late one', async () => {
  const shop = await openShop(kit, api);
  await shop.subscribe(receiver.url, { events: ['outcome.recorded'] });
  receiver.answer = (_request, response) => void response.writeHead(500).end();
  await tell(shop.id);
  await deliver();
  kit.clock.advance(86_400_000);
  receiver.answer = takes;
  await deliver();
  const prune = () =>
    sweepOld(
      {
        ledger: kit.system.unbound,
        now: kit.clock.now(),
        days: { BAD_VISIT_DAYS: 30 },
        signal: new AbortController().signal,
      },
      ['event_log'],
    );
  kit.clock.advance(90 * 86_400_000);
  await prune();
  expect((await shop.call('GET', url)).data).toHaveLength(1);
  kit.clock.advance(1);
  await prune();
  expect((await shop.call('GET', url)).data).toEqual([]);
});
