import { setTimeout as sleep } from 'node:timers/promises';
import { connectEveryNode, raw } from '@tributary/clickhouse';
import { writeAudit } from '@tributary/domain/tenancy/accountability/module.ts';
import {
  archiveProfileByOperator,
  type DeletionStatus,
  listDeletionStatus,
} from '@tributary/domain/tenancy/tenants/module.ts';
import { createOperator } from '@tributary/operations';
import { createPostgres, profileTables } from '@tributary/postgres';
import {
  browserVisit,
  buildProfile,
  buildTrackingKey,
  type Drill,
  freePort,
  httpApi,
  scene as openShop,
  p95,
} from '@tributary/testkit';
import { type RawBuilder, sql } from 'kysely';
import { Agent } from 'undici';
import { v7 as uuid } from 'uuid';
import { AppProcess } from './app-process.ts';
import { openVisitsScene, type VisitsScene } from './visits-scene.ts';

/** `mostTimesSlower`: limit for the factor by which the neighbour's p95 latency grows. The small size runs beside other drills and has no limit. */
const sizes = {
  small: { customers: 10_000, outcomes: 25_000, visits: 20_000, kills: 2, quietMs: 3_000, mostTimesSlower: undefined },
  full: {
    customers: 2_000_000,
    outcomes: 5_000_000,
    visits: 5_000_000,
    kills: 5,
    quietMs: 60_000,
    mostTimesSlower: 1.5,
  },
} as const;
const fillAtOnce = 100_000;
/** Ids in order of creation, like real ones. With random ids, inserts would touch the whole index. */
const idOf = (kind: number, n: RawBuilder<unknown>) =>
  sql`(${`0000000${kind}-0000-7000-8000-`}::text || lpad(to_hex(${n}), 12, '0'))::uuid`;

/** Deletes a large tenant while visits of it and of a neighbour arrive, and repeatedly kills the worker. */
export const drill: Drill = {
  name: 'delete-tenant',
  promise:
    'A deleted tenant leaves no row in any store, despite visits in transit and killed workers, and its neighbour is not slowed down.',

  async run({ size, progress }) {
    const { customers, outcomes, visits, kills, quietMs, mostTimesSlower } = sizes[size];
    const scene = await openVisitsScene('drill-delete-tenant');
    const tenants = await openTenants(scene);
    try {
      await tenants.fill(customers, outcomes, visits, (done, total) => progress(done, total, 'rows filled'));
      await tenants.plantDeadLetters();
      const load = tenants.startLoad();
      await sleep(quietMs);
      const quiet = load.takeLatencies();
      const rowsBefore = await tenants.countLedger();
      await tenants.archive();
      const startedAt = performance.now();
      for (let killed = 0; killed < kills; killed += 1) {
        // Each kill hits another phase of the deletion: waiting, ClickHouse, or one of the tables.
        const from = (await tenants.status())?.rows_deleted ?? 0;
        const deadline = performance.now() + 90_000;
        const rowsPerKill = Math.floor(rowsBefore / (kills + 2));
        while (performance.now() < deadline) {
          const now = await tenants.status();
          if (now?.emptied_at || (killed > 0 && (now?.rows_deleted ?? 0) > from + rowsPerKill) || killed === 0) break;
          await sleep(200);
        }
        await scene.worker.kill();
        await scene.worker.start();
        progress(killed + 1, kills, 'killed');
      }
      await tenants.until(
        async () => Boolean((await tenants.status())?.emptied_at),
        3_600_000,
        (note) => progress(note.rows_deleted, rowsBefore, note.at_table ?? note.phase),
      );
      const seconds = Math.round((performance.now() - startedAt) / 1_000);
      const busy = load.takeLatencies();
      const sent = await load.end();
      await scene.drained(120_000);
      await tenants.makeSecondPassDue();
      await tenants.until(async () => !(await tenants.status()), 300_000);
      const left = await tenants.countRemains();
      const neighbour = await tenants.countNeighbourVisits();
      const times = Math.round((p95(busy) / Math.max(1, p95(quiet))) * 100) / 100;
      return {
        passed:
          Object.keys(left).length === 0 &&
          rowsBefore >= customers + outcomes &&
          scene.worker.kills >= kills &&
          neighbour === sent.toNeighbour &&
          sent.toDeleted > 0 &&
          (mostTimesSlower === undefined || times <= mostTimesSlower),
        customers,
        outcomes,
        rows_before: rowsBefore,
        kills: scene.worker.kills,
        visits_sent_to_deleted: sent.toDeleted,
        left,
        neighbour_visits_sent: sent.toNeighbour,
        neighbour_visits_stored: neighbour,
        neighbour_p95_ms: { quiet: Math.round(p95(quiet)), meanwhile: Math.round(p95(busy)), times },
        deleted_in_seconds: seconds,
      };
    } finally {
      await tenants.close();
      await scene.close();
    }
  },
};

async function openTenants(scene: VisitsScene) {
  const { postgres, clickhouse, stream, engines, profileId } = scene;
  const owner = createPostgres({ url: engines.database.ownerUrl, poolSize: 2 });
  const port = await freePort();
  const api = new AppProcess('api', 'api listens', { ...scene.environment, PORT: String(port) });
  await api.start();
  const agent = new Agent({ connections: 4, pipelining: 1 });
  const world = { kit: { app: postgres }, api: httpApi(`http://127.0.0.1:${port}`, agent), clickhouse };
  const { id: neighbourId } = await buildProfile(postgres, { plan: 'scale' });
  const neighbour = await openShop(world, {
    profileId: neighbourId,
    scopes: ['attribution:write', 'customers:read'],
    requestsPerMinute: 600_000,
  });
  const { key: neighbourKey } = await buildTrackingKey(postgres, neighbourId);
  const operator = createOperator({ app: postgres, owner, audit: writeAudit, now: () => new Date() });
  const ledger = postgres.forProfile(profileId);
  const status = async () => (await owner.unbound.transaction((tx) => listDeletionStatus(tx, 1, profileId)))[0];

  return {
    status,
    archive: () => archiveProfileByOperator(operator, profileId),
    /** Generates the rows inside the engines, in large batches. */
    async fill(customers: number, outcomes: number, visits: number, progress: (done: number, total: number) => void) {
      const total = customers + outcomes + visits;
      for (let from = 0; from < customers; from += fillAtOnce) {
        const until = Math.min(from + fillAtOnce, customers) - 1;
        const person = idOf(1, sql`n`);
        await ledger.transaction(async (tx) => {
          await sql`
            INSERT INTO customers (profile_id, id, first_name, sources, terms, first_seen_at, last_seen_at, created_at)
            SELECT ${profileId}, ${person}, 'P' || n, '{}', ARRAY['p' || n], now(), now(), now() FROM generate_series(${from}::int, ${until}::int) n`.execute(
            tx,
          );
          await sql`
            INSERT INTO identifiers (profile_id, kind, value, customer_id, source, said_at)
            SELECT ${profileId}, 'email', 'p' || n || '@example.cl', ${person}, 'api', now() FROM generate_series(${from}::int, ${until}::int) n`.execute(
            tx,
          );
        });
        progress(until + 1, total);
      }
      for (let from = 0; from < outcomes; from += fillAtOnce) {
        const until = Math.min(from + fillAtOnce, outcomes) - 1;
        await ledger.transaction((tx) =>
          sql`
            INSERT INTO outcomes (profile_id, id, idempotency_key, event_name, event_type, event_key, event_type_key, customer_id,
              occurred_at, recorded_at, updated_at, amount, currency, reporting_amount, reporting_currency, rest)
            SELECT ${profileId}, ${idOf(2, sql`n`)}, 'o' || n, 'paid', 'paid', 'paid', 'paid', ${idOf(1, sql`(n::bigint * ${customers}::int / ${outcomes}::int)`)},
              now() - n * interval '1 second', now(), now(), 10, 'USD', 10, 'USD', '{"note": "x"}'
            FROM generate_series(${from}::int, ${until}::int) n`.execute(tx),
        );
        progress(customers + until + 1, total);
      }
      for (const table of ['visits', 'touches'])
        for (let from = 0; from < visits; from += fillAtOnce)
          await clickhouse.command(
            raw(`INSERT INTO ${table} (profile_id, visitor_id, occurred_at, ${table === 'visits' ? 'visit_id' : 'touch_id'})
              SELECT {profileId:UUID}, generateUUIDv4(1), now64(3) - number % 2000000, generateUUIDv4(2)
              FROM numbers(${from}, ${Math.min(fillAtOnce, visits - from)})`),
            { profileId },
          );
    },
    async plantDeadLetters() {
      const line = JSON.stringify({ v: 9, profile_id: profileId, note: 'cannot be read' });
      await stream.publish([{ id: uuid(), key: uuid(), payload: Buffer.from(`no message\n${line}`) }]);
    },
    countLedger: async () => {
      let rows = 0;
      for (const { table, owner: own, as } of profileTables)
        if (as === 'app') {
          const counted = await ledger.transaction((tx) =>
            sql<{
              n: string;
            }>`SELECT count(*) AS n FROM ${sql.table(table)} WHERE ${sql.ref(own)} = ${profileId}`.execute(tx),
          );
          rows += Number(counted.rows[0]?.n);
        }
      return rows;
    },
    /** Sends visits of both tenants, and events and searches of the neighbour, until `end` is called. */
    startLoad() {
      const stop = new AbortController();
      let latencies: number[] = [];
      const sent = { toDeleted: 0, toNeighbour: 0 };
      const visitsTo = (key: string) =>
        scene.post(JSON.stringify({ key, client_id: uuid(), visits: [browserVisit(new Date())] }));
      const visiting = (async () => {
        while (!stop.signal.aborted) {
          if ((await visitsTo(scene.key)) === 204) sent.toDeleted += 1;
          if ((await visitsTo(neighbourKey)) === 204) sent.toNeighbour += 1;
          await sleep(20);
        }
      })();
      const searching = (async () => {
        while (!stop.signal.aborted) {
          const startedAt = performance.now();
          await neighbour.post('/api/v1/events', {
            event_name: 'lead_created',
            idempotency_key: uuid(),
            user_traits: { email: `${uuid()}@neighbour.example` },
          });
          await neighbour.ask('/api/v1/customers/search?q=neighbour');
          latencies.push(performance.now() - startedAt);
          await sleep(20);
        }
      })();
      return {
        takeLatencies: () => {
          const measured = latencies;
          latencies = [];
          return measured;
        },
        async end() {
          stop.abort();
          await Promise.all([visiting, searching]);
          return sent;
        },
      };
    },
    /** Makes the second pass due now instead of after a day. */
    makeSecondPassDue: () =>
      owner.unbound.query(sql`UPDATE tenant_deletions SET look_again_at = now() WHERE profile_id = ${profileId}`),
    async until(
      condition: () => Promise<boolean>,
      timeoutMs: number,
      progress: (now: DeletionStatus) => void = () => {},
    ) {
      const deadline = performance.now() + timeoutMs;
      while (!(await condition())) {
        if (performance.now() > deadline)
          throw new Error(`Not deleted after ${timeoutMs} ms: ${JSON.stringify(await status())}`);
        const now = await status();
        if (now) progress(now);
        await sleep(500);
      }
    },
    /** Counts the rows of each store that refer to the tenant, by querying the engines directly. */
    async countRemains() {
      const left: Record<string, number> = {};
      const note = (store: string, rows: number) => {
        if (rows > 0) left[store] = rows;
      };
      const { rows: tables } = await owner.unbound.query(sql<{ name: string; column: string }>`
        SELECT table_name AS name, column_name AS "column" FROM information_schema.columns
        JOIN information_schema.tables USING (table_schema, table_name)
        WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND column_name IN ('profile_id', 'owner_id')`);
      for (const { name, column } of tables) {
        const found = await ledger
          .transaction((tx) =>
            sql<{
              n: string;
            }>`SELECT count(*) AS n FROM ${sql.table(name)} WHERE ${sql.ref(column)} = ${profileId}`.execute(tx),
          )
          // The app role may not read some tables. Their rows are deleted together with the row that they reference.
          .catch(() => undefined);
        note(`postgres ${name}`, Number(found?.rows[0]?.n ?? 0));
      }
      const { rows } = await owner.unbound.query(sql<{ n: string }>`
        SELECT count(*) AS n FROM profiles WHERE id = ${profileId}`);
      note('postgres profiles', Number(rows[0]?.n));
      for (const node of connectEveryNode(clickhouse.settings)) {
        for (const { name } of await node.query('profile_table_list', {})) {
          const [counted] = await node.query(
            raw<{ n: string }>(`SELECT count() AS n FROM ${name} WHERE profile_id = {profileId:UUID}`),
            { profileId },
          );
          note(`clickhouse ${name}`, Number(counted?.n));
        }
        await node.close();
      }
      for (let after: number | undefined = 0; after !== undefined; ) {
        const page: Awaited<ReturnType<typeof stream.deadLetters.list>> = await stream.deadLetters.list({ after });
        note(
          'dead letters',
          page.letters.filter(({ payload }) => Buffer.from(payload).toString().includes(profileId)).length,
        );
        after = page.next;
      }
      return left;
    },
    async countNeighbourVisits() {
      const [counted] = await clickhouse.query(
        raw<{ n: string }>('SELECT uniqExact(visit_id) AS n FROM visits WHERE profile_id = {neighbourId:UUID}'),
        { neighbourId },
      );
      return Number(counted?.n);
    },
    async close() {
      await api.kill();
      await agent.close();
      await owner.close();
    },
  };
}
