import { type Route, routes } from '@tributary/contract';
import { findAdPlatforms } from '@tributary/domain/advertising/campaigns/module.ts';
import { paymentStandings } from '@tributary/domain/commerce/payments/module.ts';
import { sequenceBatch } from '@tributary/domain/tenancy/events/module.ts';
import { visitorLinks } from '@tributary/domain/traffic/ingestion/module.ts';
import { createPersonalDataGate } from '@tributary/operations';
import { createOutbound } from '@tributary/outbound';
import { profileTables, workspaceTables } from '@tributary/postgres';
import { connectStream } from '@tributary/stream';
import {
  openApi,
  openTestkit,
  openWarehouse,
  processQueue,
  type TestApi,
  type Testkit,
  testTombstones,
  testVault,
} from '@tributary/testkit';
import { retentionPolicies } from '@tributary/vocabulary/retention.ts';
import { type QueueName, queues } from '@tributary/work';
import { jobHandlers, type Work } from '@tributary/worker/jobs.ts';
import { queueHandlers } from '@tributary/worker/queues.ts';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestIngestion } from '../../domain/traffic/ingestion/ingestion.fixture.ts';
import { Plans, type Scan } from './plans.ts';
import { draftOf, type FuzzRequest, requestsTo, validInput, written } from './requests.ts';
import { buildWorld, credentialsFor, idToken, settled, type World } from './world.ts';

/**
 * Every route and the worker are walked through, and what PostgreSQL says of each statement on the way is held to two rules: it enters
 * every table by an index, and on a tenant's tables it names the tenant itself, so that a table can be split by profile.
 */

let kit: Testkit;
let api: TestApi;
let plans: Plans;
let warehouse: Awaited<ReturnType<typeof openWarehouse>>;
let stream: Awaited<ReturnType<typeof connectStream>>;
beforeAll(async () => {
  kit = await openTestkit();
  plans = await Plans.open(kit.database.ownerUrl);
  warehouse = await openWarehouse(kit);
  api = await openApi(kit);
  stream = await connectStream({ url: kit.natsUrl, prefix: kit.streamPrefix });
  await stream.ensureStreams();
});
afterAll(async () => {
  plans.close();
  await stream.close();
  await api.close();
  await warehouse.drop();
  await kit.close();
});

/** Statements that may do otherwise, by the table and a part of their text, and why. */
const exceptions: readonly { readonly table: string; readonly part: RegExp; readonly reason: string }[] = [
  { table: 'event_counter', part: /./, reason: 'It has one row.' },
  {
    table: 'outbox',
    part: /profile_id/,
    reason: 'It is empty within a second; an index would be paid for by every outcome.',
  },
  { table: 'profiles', part: /INSERT INTO reconciliations/, reason: 'Nightly, and every profile gets a row.' },
  {
    table: 'profiles_with_ads',
    part: /INSERT INTO score_rebuilds/,
    reason: 'Nightly, and every one of them is marked.',
  },
  { table: 'api_keys', part: /note|hash|last_used_at/, reason: 'Whose a key is follows from it.' },
  {
    table: 'app_tokens',
    part: /hash|app_id/,
    reason: 'Whose a token is follows from it; a new secret ends all of an app.',
  },
  { table: 'invitations', part: /hash/, reason: 'Whose an invitation is follows from it.' },
  { table: 'shared_views', part: /hash/, reason: 'Whose a link is follows from it.' },
  { table: 'connections', part: /DELETE FROM ONLY .* "workspace_id"/, reason: 'They go with their workspace.' },
  { table: 'members', part: /user_id/, reason: 'Somebody who signs in has workspaces, not the other way round.' },
];

const owners = new Map<string, Set<string>>();
for (const { table, owner } of [...profileTables, ...workspaceTables])
  owners.set(table, new Set([...(owners.get(table) ?? []), owner]));

const isExcepted = ({ table, statement, conditions }: Scan) =>
  exceptions.some((one) => one.table === table && one.part.test(`${statement} ${conditions}`));
const told = ({ table, conditions, statement }: Scan) =>
  `${table} by ${conditions || 'nothing'}: ${statement.slice(0, 500)}`;

const faults = (scans: readonly Scan[]) => {
  const ours = scans.filter((scan) => scan.table in retentionPolicies.postgres && !isExcepted(scan));
  return {
    readFromEndToEnd: ours.filter(({ isEntered }) => !isEntered).map(told),
    // Who works the queues asks for all profiles, or for one by its key.
    namesNoTenant: ours
      .filter(({ table, role, conditions }) => {
        const columns = owners.get(table);
        return role === 'tributary_app' && columns && ![...columns].some((column) => conditions.includes(column));
      })
      .map(told),
  };
};

describe('on the way through all routes and the worker', () => {
  test('every statement enters its tables by an index, and names the tenant whose rows it wants', async () => {
    let answeredWell = 0;
    const before = new Set(plans.scans);
    for (const methods of [['GET'], ['POST', 'PUT', 'PATCH'], ['DELETE']]) {
      const world = await buildWorld(kit);
      await plans.pretendLarge();
      plans.isHearing = true;
      answeredWell += await askAll(methods, world);
      if (!methods.includes('GET')) await workThrough(world);
      plans.isHearing = false;
    }
    // Else the walk ends at the door.
    expect(answeredWell).toBeGreaterThan(100);
    expect(plans.statements.size).toBeGreaterThan(350);
    const heard = plans.scans.filter((scan) => !before.has(scan));
    expect(faults(heard)).toEqual({ readFromEndToEnd: [], namesNoTenant: [] });
  });

  test('and one that does not is found', async () => {
    const world = await buildWorld(kit);
    const before = new Set(plans.scans);
    plans.isHearing = true;
    await kit.app.unbound.query(sql`SELECT FROM customers WHERE id = ANY (${[idOf(world, 'profile')]}::uuid[])`);
    await kit.app.unbound.query(sql`SELECT FROM merges ORDER BY merged_at DESC LIMIT 1`);
    plans.isHearing = false;
    const { readFromEndToEnd, namesNoTenant } = faults(plans.scans.filter((scan) => !before.has(scan)));
    expect(readFromEndToEnd.join('\n')).toMatch(/^customers by \(id = ANY[^\n]*\nmerges by nothing/);
    expect(namesNoTenant).toHaveLength(2);
  });
});

const idOf = (world: World, kind: 'profile') => world.tokens.get(idToken(kind)) ?? '';

/** Asks every route of some methods as one who may: the shortest input, and what is not only read also with others. Resolves to how many were answered well. */
async function askAll(methods: readonly string[], world: World): Promise<number> {
  const requests = Object.values<Route>(routes)
    .filter(({ method }) => methods.includes(method))
    .flatMap((route) => {
      const [credential = 'none'] = credentialsFor(route.access.credentials).good;
      const headers = route.idempotency ? { 'idempotency-key': route.id } : {};
      const shortest = written(draftOf(route, validInput(route, 1), credential, { ...headers }));
      const more =
        route.method === 'GET' ? [] : fc.sample(requestsTo([route], { isClean: true }), { seed: 1, numRuns: 2 });
      return [...more, { route, from: '10.0.0.1', ...shortest } satisfies FuzzRequest];
    });
  let answeredWell = 0;
  const lane = async () => {
    for (let next = requests.pop(); next; next = requests.pop()) {
      const { method, url, headers, body, from } = settled(next, world);
      const answer = await api.fastify.inject({
        method: method as 'GET',
        url,
        headers: { ...headers },
        remoteAddress: from,
        ...(body && { payload: body }),
      });
      if (answer.statusCode < 300) answeredWell += 1;
    }
  };
  await Promise.all(Array.from({ length: 8 }, lane));
  return answeredWell;
}

/** What a worker would do now: number events, work off the queues, run each job once. */
async function workThrough(world: World): Promise<void> {
  const work = workOver();
  while ((await sequenceBatch(kit.system.unbound, kit.clock.now())) > 0);
  const handlers = queueHandlers(work);
  for (const name of Object.keys(queues) as QueueName[]) await processQueue(kit.system, name, handlers[name]);
  const profileId = idOf(world, 'profile');
  const payload = {
    profileId,
    eventKeys: ['payment_received'],
    fitId: profileId,
    adId: profileId,
    analysisId: profileId,
  };
  // That a profile is gone by now is no fault of a statement.
  for (const run of Object.values(jobHandlers(work)) as ((payload: object, signal: AbortSignal) => Promise<void>)[])
    await run(payload, AbortSignal.timeout(60_000)).catch(() => {});
}

function workOver(): Work {
  const connect = async () => {
    throw new Error('Tests reach nobody outside.');
  };
  const nowhere = createOutbound({ timeoutMs: 1_000, connect });
  const now = () => kit.clock.now();
  return {
    app: kit.app,
    system: kit.system,
    clickhouse: { ...kit.clickhouse, database: kit.clickhouseDatabase },
    quick: warehouse.client,
    patient: warehouse.client,
    stream,
    ingestion: openTestIngestion(kit.app, warehouse.client, now),
    now,
    rateSources: {},
    outbound: nowhere,
    languageModel: undefined,
    mailing: { mailer: undefined, baseUrl: 'https://tributary.test' },
    deliveries: { outbound: nowhere, vault: testVault, gate: createPersonalDataGate(kit.app) },
    syncing: {
      vault: testVault,
      providers: { of: () => undefined },
      providerOutbound: nowhere,
      outcomes: { tombstones: testTombstones, payments: paymentStandings, findAdPlatforms, visitors: visitorLinks },
    },
    badVisitDays: 30,
    visitsRetentionDays: undefined,
  };
}
