import { routes } from '@tributary/contract';
import { moveWorkspace } from '@tributary/postgres';
import {
  buildApiKey,
  buildMember,
  buildProfile,
  farShard,
  idBuilders,
  openApi,
  openTestkit,
  paymentEvent,
  type TestApi,
  type TestDatabase,
  type Testkit,
} from '@tributary/testkit';
import { homeShard } from '@tributary/vocabulary';
import { sql } from 'kysely';
import pg from 'pg';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';

let kit: Testkit;
let api: TestApi;
beforeAll(async () => {
  kit = await openTestkit(true);
  api = await openApi(kit);
});
afterAll(async () => {
  await api.close();
  await kit.close();
});

/** The administrator of the engines has the password of our roles. */
function asAdmin(shard: string): string {
  const { ownerUrl } = shard === homeShard ? (kit.homeDatabase as TestDatabase) : kit.database;
  return ownerUrl.replace('tributary_owner', 'postgres');
}
const move = (workspaceId: string, from: string, to: string) =>
  moveWorkspace({
    workspaceId,
    from: { url: asAdmin(from), shard: from },
    to: { url: asAdmin(to), shard: to },
    // Makes each response consist of other tenants' changes, without any of the workspace.
    changesAtOnce: 1,
  });

async function call(method: 'GET' | 'POST', url: string, headers: Record<string, string>, body?: object) {
  const { statusCode, ...answer } = await api.call({
    method,
    url,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { payload: JSON.stringify(body) }),
  });
  return { status: statusCode, body: answer.json() };
}

/** The number of rows per table that reference the tenant, on one server. */
async function rowsOf(shard: string, ids: readonly string[]): Promise<Record<string, number>> {
  const admin = new pg.Client({ connectionString: asAdmin(shard) });
  await admin.connect();
  try {
    const { rows: tables } = await admin.query<{ name: string }>(`
      SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
        AND relname NOT IN ('moved_tenants', 'users', 'work_turns')`);
    const counted: Record<string, number> = {};
    for (const { name } of tables) {
      const named = `SELECT count(*)::int AS n FROM ${name} t WHERE t::text ~ $1`;
      const { rows } = await admin.query<{ n: number }>(named, [ids.join('|')]);
      if (rows[0]?.n) counted[name] = rows[0].n;
    }
    return counted;
  } finally {
    await admin.end();
  }
}

test('a workspace moves with all of its data, its keys and members keep working, and it can move back', async () => {
  const profile = await buildProfile(kit.app);
  const ids = [profile.workspaceId, profile.id];
  const key = await buildApiKey(kit.app, profile.id);
  const member = await buildMember(kit.app, profile.workspaceId, 'owner');
  const marked = { ...profile, appId: '', clientSecret: '', mark: 'moved' };
  for (const kind of [
    'customer_key',
    'connection',
    'webhook_subscription',
    'tracking_key',
    'saved_view',
    'erasure',
  ] as const)
    await idBuilders[kind](kit, { ...marked, appId: null as unknown as string });
  for (let n = 0; n < 5; n += 1)
    await call('POST', '/api/v1/events', key.headers, paymentEvent({ customer: `c-${n}`, key: uuid() }));
  const before = await rowsOf(farShard, ids);
  expect(before.outcomes).toBeGreaterThanOrEqual(5);
  await kit.owner.unbound.query(sql`UPDATE event_counter SET last = 5000`);
  await kit.owner.unbound.query(sql`SELECT setval('dirty_revision', 70000)`);

  const moved = await move(profile.workspaceId, farShard, homeShard);
  expect(moved.profiles).toBe(1);
  expect(await rowsOf(homeShard, ids)).toEqual(before);
  expect(await rowsOf(farShard, ids)).toEqual({});
  // Event and revision numbers continue from their old values, so that a consumer that waits for the next one misses none.
  const { rows: numbers } = await kit.owner.home.unbound.query(
    sql`SELECT (SELECT last FROM event_counter) >= 5000 AS events, nextval('dirty_revision') > 70000 AS revisions`,
  );
  expect(numbers).toEqual([{ events: true, revisions: true }]);
  // The process had cached the old server.
  expect((await call('POST', '/api/v1/events', key.headers, paymentEvent({ key: uuid() }))).status).toBe(202);
  expect((await call('GET', '/api/v1/profile', member.headers({ profileId: profile.id }))).status).toBe(200);
  expect((await rowsOf(homeShard, ids)).outcomes).toBe((before.outcomes ?? 0) + 1);

  await move(profile.workspaceId, homeShard, farShard);
  expect((await rowsOf(farShard, ids)).outcomes).toBe((before.outcomes ?? 0) + 1);
  expect((await call('POST', '/api/v1/events', key.headers, paymentEvent({ key: uuid() }))).status).toBe(202);
  expect(await rowsOf(homeShard, ids)).toEqual({});
});

test('writes during a move are neither lost nor refused', async () => {
  const profile = await buildProfile(kit.app);
  const key = await buildApiKey(kit.app, profile.id);
  const statuses: number[] = [];
  let isOver = false;
  const writers = Array.from({ length: 4 }, async (_, writer) => {
    for (let n = 0; !isOver || n < 10; n += 1)
      statuses.push(
        (
          await call(
            'POST',
            '/api/v1/events',
            key.headers,
            paymentEvent({ customer: `w-${writer}-${n % 7}`, key: uuid() }),
          )
        ).status,
      );
  });
  const neighbour = await buildProfile(kit.app);
  const theirs = await buildApiKey(kit.app, neighbour.id);
  const beside = (async () => {
    while (!isOver) await call('POST', '/api/v1/events', theirs.headers, paymentEvent({ key: uuid() }));
  })();
  await expect.poll(() => statuses.length).toBeGreaterThan(20);
  await move(profile.workspaceId, farShard, homeShard);
  const atMove = statuses.length;
  await expect.poll(() => statuses.length).toBeGreaterThan(atMove + 20);
  isOver = true;
  await Promise.all([...writers, beside]);
  expect(new Set(statuses)).toEqual(new Set([202]));
  const outcomes = await kit.app
    .forProfile(profile.id)
    .transaction((tx) => tx.selectFrom('outcomes').select('id').execute());
  expect(outcomes.length).toBe(statuses.length);
  // The database maintains totals as outcomes are written, on either server.
  const { rows } = await kit.app
    .forProfile(profile.id)
    .transaction((tx) => sql<{ n: number }>`SELECT sum(outcomes)::int AS n FROM outcome_totals`.execute(tx));
  expect(rows[0]?.n).toBe(statuses.length);
});

test('a workspace under deletion cannot move', async () => {
  const { workspaceId, id } = await buildProfile(kit.app);
  await kit.app
    .forWorkspace(workspaceId)
    .transaction((tx) =>
      sql`INSERT INTO tenant_deletions (profile_id, workspace_id, requested_at, updated_at) VALUES (${id}, ${workspaceId}, now(), now())`.execute(
        tx,
      ),
    );
  await expect(move(workspaceId, farShard, homeShard)).rejects.toThrow('is being deleted');
});

test('during a move, other workspaces cannot read or write it, and their data stays separate', async () => {
  const [profile, other] = [await buildProfile(kit.app), await buildProfile(kit.app)];
  const [key, theirs] = [await buildApiKey(kit.app, profile.id), await buildApiKey(kit.app, other.id)];
  const otherOwner = await buildMember(kit.app, other.workspaceId, 'owner');
  const otherHeaders = otherOwner.headers({ profileId: profile.id });
  const customers = '/api/v1/customers/search?q=shared@person.test';
  const event = (value: string, key: string) => ({
    event_name: 'payment_received',
    idempotency_key: key,
    properties: { value, currency: 'USD' },
    user_traits: { email: 'shared@person.test' },
  });
  const statuses = { own: [] as number[], theirs: [] as number[], foreign: [] as number[] };
  let isOver = false;
  const repeatUntilOver = async (act: (n: number) => Promise<void>) => {
    for (let n = 0; !isOver || n < 10; n += 1) await act(n);
  };
  // Both profiles use the same idempotency keys and customer, so that only the credential separates them.
  const traffic = [
    repeatUntilOver(async (n) => {
      statuses.own.push((await call('POST', '/api/v1/events', key.headers, event('1', `k-${n}`))).status);
    }),
    repeatUntilOver(async (n) => {
      statuses.theirs.push((await call('POST', '/api/v1/events', theirs.headers, event('1000', `k-${n}`))).status);
    }),
    repeatUntilOver(async () => {
      for (const url of ['/api/v1/profile', customers, `/api/v1/workspaces/${profile.workspaceId}/members`])
        statuses.foreign.push((await call('GET', url, otherHeaders)).status);
      statuses.foreign.push((await call('POST', '/api/v1/events', otherHeaders, event('5', uuid()))).status);
    }),
  ];
  await expect.poll(() => statuses.own.length).toBeGreaterThan(10);
  await move(profile.workspaceId, farShard, homeShard);
  const atMove = statuses.own.length;
  await expect.poll(() => statuses.own.length).toBeGreaterThan(atMove + 10);
  isOver = true;
  await Promise.all(traffic);

  expect(new Set([...statuses.own, ...statuses.theirs])).toEqual(new Set([202]));
  expect(statuses.foreign.filter((status) => status < 400 || status >= 500)).toEqual([]);
  const amountsOf = async (id: string) => {
    const { rows } = await kit.app.forProfile(id).transaction((tx) =>
      sql<{ amount: string; n: number }>`
        SELECT amount::text, count(*)::int AS n FROM outcomes GROUP BY amount`.execute(tx),
    );
    return rows.map(({ amount, n }) => [Number(amount), n]);
  };
  expect(await amountsOf(profile.id)).toEqual([[1, statuses.own.length]]);
  expect(await amountsOf(other.id)).toEqual([[1000, statuses.theirs.length]]);
  expect(await rowsOf(farShard, [profile.workspaceId, profile.id])).toEqual({});
  expect(await rowsOf(homeShard, [other.workspaceId, other.id])).toEqual({});
});

test('a tenant cannot start or finish a move', async () => {
  expect(Object.values(routes).filter(({ path }) => path.includes('/move'))).toEqual([]);
  const { id, workspaceId } = await buildProfile(kit.app);
  const asTenant = (statement: string) => kit.app.forProfile(id).transaction((tx) => sql.raw(statement).execute(tx));
  for (const statement of [
    `INSERT INTO moved_tenants (id, shard) VALUES ('${workspaceId}', 'home')`,
    "UPDATE moved_tenants SET shard = 'home'",
    'DELETE FROM moved_tenants',
    "SELECT pg_create_logical_replication_slot('stolen', 'pgoutput')",
    'SET session_replication_role = replica',
  ])
    await expect(asTenant(statement), statement).rejects.toThrow(/permission denied|must be superuser/);
});
