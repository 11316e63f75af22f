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
 * Calls every route and runs the worker, and checks the plan of each statement that PostgreSQL executes: it must read every table by an
 * index, and on a tenant's table it must filter by the tenant itself, so that tables can be split by profile.
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

/** Statements that may break the rules, by table and a part of their text, with the reason. */
const exceptions: readonly { readonly table: string; readonly part: RegExp; readonly reason: string }[] = [
  { table: 'event_counter', part: /./, reason: 'It has one row.' },
  {
    table: 'outbox',
    part: /profile_id/,
    reason: 'It is empty within a second, and an index would slow down every outcome.',
  },
  { table: 'profiles', part: /INSERT INTO reconciliations/, reason: 'Nightly, and every profile gets a row.' },
  {
    table: 'profiles_with_ads',
    part: /INSERT INTO score_rebuilds/,
    reason: 'Nightly, and every profile is marked.',
  },
  { table: 'api_keys', part: /note|hash|last_used_at/, reason: 'The lookup of a key returns its tenant.' },
  {
    table: 'app_tokens',
    part: /hash|app_id/,
    reason: 'The lookup of a token returns its tenant; a new secret revokes all tokens of an app.',
  },
  { table: 'invitations', part: /hash/, reason: 'The lookup of an invitation returns its tenant.' },
  { table: 'shared_views', part: /hash/, reason: 'The lookup of a link returns its tenant.' },
  {
    table: 'connections',
    part: /DELETE FROM ONLY .* "workspace_id"/,
    reason: 'They are deleted with their workspace.',
  },
  { table: 'members', part: /user_id/, reason: 'At sign-in the workspaces of a user are read.' },
];

const owners = new Map<string, Set<string>>();
for (const { table, owner } of [...profileTables, ...workspaceTables])
  owners.set(table, new Set([...(owners.get(table) ?? []), owner]));

const isExcepted = ({ table, statement, conditions }: Scan) =>
  exceptions.some((one) => one.table === table && one.part.test(`${statement} ${conditions}`));
const describeScan = ({ table, conditions, statement }: Scan) =>
  `${table} by ${conditions || 'nothing'}: ${statement.slice(0, 500)}`;

const faults = (scans: readonly Scan[]) => {
  const ours = scans.filter((scan) => scan.table in retentionPolicies.postgres && !isExcepted(scan));
  return {
    fullScans: ours.filter(({ isEntered }) => !isEntered).map(describeScan),
    // The worker reads all profiles, or one by its key.
    withoutTenant: ours
      .filter(({ table, role, conditions }) => {
        const columns = owners.get(table);
        return role === 'tributary_app' && columns && ![...columns].some((column) => conditions.includes(column));
      })
      .map(describeScan),
  };
};

describe('plans of all routes and the worker', () => {
  test('every statement reads its tables by an index and filters by tenant', async () => {
    let successes = 0;
    const before = new Set(plans.scans);
    for (const methods of [['GET'], ['POST', 'PUT', 'PATCH'], ['DELETE']]) {
      const world = await buildWorld(kit);
      await plans.pretendLarge();
      plans.isRecording = true;
      successes += await callAll(methods, world);
      if (!methods.includes('GET')) await runWorker(world);
      plans.isRecording = false;
    }
    // Otherwise the requests would fail before most statements run.
    expect(successes).toBeGreaterThan(100);
    expect(plans.statements.size).toBeGreaterThan(350);
    const scans = plans.scans.filter((scan) => !before.has(scan));
    expect(faults(scans)).toEqual({ fullScans: [], withoutTenant: [] });
  });

  test('reports statements without an index or a tenant filter', async () => {
    const world = await buildWorld(kit);
    const before = new Set(plans.scans);
    plans.isRecording = true;
    await kit.app.unbound.query(sql`SELECT FROM customers WHERE id = ANY (${[idOf(world, 'profile')]}::uuid[])`);
    await kit.app.unbound.query(sql`SELECT FROM merges ORDER BY merged_at DESC LIMIT 1`);
    plans.isRecording = false;
    const { fullScans, withoutTenant } = faults(plans.scans.filter((scan) => !before.has(scan)));
    expect(fullScans.join('\n')).toMatch(/^customers by \(id = ANY[^\n]*\nmerges by nothing/);
    expect(withoutTenant).toHaveLength(2);
  });
});

const idOf = (world: World, kind: 'profile') => world.tokens.get(idToken(kind)) ?? '';

/**
 * Calls every route of some methods with a permitted credential: with the shortest input, and writes also with others. Resolves to the number of
 * successes.
 */
async function callAll(methods: readonly string[], world: World): Promise<number> {
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
  let successes = 0;
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
      if (answer.statusCode < 300) successes += 1;
    }
  };
  await Promise.all(Array.from({ length: 8 }, lane));
  return successes;
}

/** Does a worker's work once: numbers events, processes the queues and runs each job. */
async function runWorker(world: World): Promise<void> {
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
  // A job may fail because its profile was deleted; only the statements matter.
  for (const run of Object.values(jobHandlers(work)) as ((payload: object, signal: AbortSignal) => Promise<void>)[])
    await run(payload, AbortSignal.timeout(60_000)).catch(() => {});
}

function workOver(): Work {
  const connect = async () => {
    throw new Error('Tests make no outbound requests.');
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
