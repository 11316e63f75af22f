import { routes } from '@tributary/contract';
import { importCustomers } from '@tributary/domain/commerce/customers/module.ts';
import { createPostgres, type Postgres } from '@tributary/postgres';
import {
  type BuiltKey,
  buildApiKey,
  buildProfile,
  type Drill,
  openDrillEngines,
  serve,
  served,
  type TestServer,
  testTombstones,
} from '@tributary/testkit';
import { sql } from 'kysely';

const sizes = {
  small: { people: 300, batches: 3, rowsPerBatch: 100 },
  full: { people: 20_000, batches: 10, rowsPerBatch: 1_000 },
} as const;
const importers = 16;
/** Single-row imports between the batches. They lock few stripes, so they contend with the batches for customer rows. */
const singlesPerBatch = 5;

/**
 * Sixteen concurrent importers send rows about the same customers, each with some of their identifiers. Most rows match, extend or merge customers
 * that another importer is writing. Then one importer sends the same rows sequentially to another profile. Both results must equal groups that are
 * computed from the rows without production code.
 */
export const drill: Drill = {
  name: 'import',
  promise:
    'Concurrent importers of rows with shared identifiers never deadlock, and give the same customers as a single importer.',

  async run({ size, progress }) {
    const { people, batches, rowsPerBatch } = sizes[size];
    const engines = await openDrillEngines('drill-import', ['postgres', 'redis']);
    const app = createPostgres({ url: engines.database.appUrl, poolSize: importers + 2 });
    const kit = { app, redisUrl: engines.redisUrl, redisPrefix: 'drill', clock: { now: () => new Date() } };
    const server = await serve(kit, [served(routes.importCustomers, importCustomers, { tombstones: testTombstones })], {
      quiet: true,
      unlimited: true,
      requestTimeoutMs: 120_000,
    });
    try {
      const lanes = Array.from({ length: importers }, () =>
        Array.from({ length: batches }, () => [
          rowsAbout(people, rowsPerBatch),
          ...Array.from({ length: singlesPerBatch }, () => rowsAbout(people, 1)),
        ]).flat(),
      );
      const requests = lanes.flat().length;
      const statuses = new Map<number, number>();
      const timesMs: number[] = [];
      let done = 0;
      const send = async (key: BuiltKey, rows: readonly Row[]) => {
        const startedAt = performance.now();
        const status = await post(server, key, rows);
        if (rows.length === rowsPerBatch) timesMs.push(performance.now() - startedAt);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        done += 1;
        progress(done, requests * 2);
      };

      const together = await openProfile(app);
      const startedAt = performance.now();
      await Promise.all(
        lanes.map(async (lane) => {
          for (const rows of lane) await send(together.key, rows);
        }),
      );
      const secondsTogether = (performance.now() - startedAt) / 1_000;
      const batchMsTogether = percentile(timesMs.splice(0), 0.5);

      const alone = await openProfile(app);
      for (const rows of lanes.flat()) await send(alone.key, rows);

      const expected = expectedGroups(lanes.flat(2));
      const [graph, aloneGraph] = [await readGroups(app, together.id), await readGroups(app, alone.id)];
      const rows = lanes.flat(2).length;
      const notOk = [...statuses].filter(([status]) => status !== 200).reduce((sum, [, count]) => sum + count, 0);
      const deadlocks = await countDeadlocks(app);
      const orphans = await countOrphans(app, together.id);
      return {
        passed:
          notOk === 0 &&
          deadlocks === 0 &&
          orphans === 0 &&
          graph.join('\n') === expected.join('\n') &&
          aloneGraph.join('\n') === expected.join('\n'),
        rows,
        requests,
        importers,
        answers_not_200: notOk,
        deadlocks,
        people_expected: expected.length,
        people_together: graph.length,
        people_alone: aloneGraph.length,
        merges: await countMerges(app, together.id),
        identifiers_astray: orphans,
        rows_per_second_together: Math.round(rows / secondsTogether),
        batch_ms_together_p50: Math.round(batchMsTogether),
        batch_ms_alone_p50: Math.round(percentile(timesMs, 0.5)),
      };
    } finally {
      await server.close();
      await app.close();
      await engines.close();
    }
  },
};

interface Row {
  readonly email?: string;
  readonly phone?: string;
  readonly national_id?: string;
  readonly external_id?: string;
}

/**
 * Makes rows without conflicts: customers share no identifier. A phone number is always sent together with the e-mail address. If it were sent alone,
 * the matched customer would depend on the order of rows.
 */
function rowsAbout(people: number, count: number): Row[] {
  return Array.from({ length: count }, () => {
    const person = Math.floor(Math.random() * people);
    const email = `person${person}@example.cl`;
    const nationalId = rut(5_000_000 + person);
    const externalId = `C-${person}`;
    const kinds: readonly Row[] = [
      { email },
      { national_id: nationalId },
      { email, phone: `+569${20_000_000 + person}` },
      { email, external_id: externalId },
      { national_id: nationalId, external_id: externalId },
      { national_id: nationalId, email },
    ];
    return kinds[Math.floor(Math.random() * kinds.length)] as Row;
  });
}

function rut(body: number): string {
  let sum = 0;
  [...String(body)].reverse().forEach((digit, index) => {
    sum += Number(digit) * (2 + (index % 6));
  });
  return `${body}-${'0K987654321'[sum % 11]}`;
}

/** Computes the connected identifiers of the rows with a union-find over parents. */
function expectedGroups(rows: readonly Row[]): string[] {
  const parents = new Map<string, string>();
  const root = (name: string): string => {
    const parent = parents.get(name) ?? name;
    return parent === name ? name : root(parent);
  };
  for (const { email, phone, national_id, external_id } of rows) {
    const named = [
      email && `email ${email}`,
      phone && `phone ${phone}`,
      national_id && `national_id ${national_id}`,
      external_id && `external_customer_id ${external_id}`,
    ].filter((name) => name !== undefined);
    for (const name of named) if (!parents.has(name)) parents.set(name, name);
    for (const name of named) parents.set(root(name), root(named[0] as string));
  }
  const groups = Map.groupBy(parents.keys(), root);
  return [...groups.values()].map((names) => names.sort().join()).sort();
}

const inProfile = <T>(app: Postgres, profileId: string, query: ReturnType<typeof sql<T>>) =>
  app.forProfile(profileId).transaction(async (tx) => (await query.execute(tx)).rows);

async function readGroups(app: Postgres, profileId: string): Promise<string[]> {
  const rows = await inProfile(
    app,
    profileId,
    sql<{ names: string[] }>`SELECT array_agg(kind || ' ' || value) AS names FROM identifiers GROUP BY customer_id`,
  );
  return rows.map(({ names }) => names.sort().join()).sort();
}

/** Counts identifiers of merged customers, and search terms that do not lead to a current customer. */
async function countOrphans(app: Postgres, profileId: string): Promise<number> {
  const [row] = await inProfile(
    app,
    profileId,
    sql<{ orphans: number }>`SELECT (
        (SELECT count(*) FROM identifiers i JOIN customers c ON c.id = i.customer_id WHERE c.merged_into IS NOT NULL) +
        (SELECT count(*) FROM search_terms s LEFT JOIN customers c ON c.id = s.customer_id
          WHERE c.merged_into IS NOT NULL OR NOT coalesce(s.term = ANY (c.terms), false))
      )::int AS orphans`,
  );
  return row?.orphans ?? -1;
}

async function countMerges(app: Postgres, profileId: string): Promise<number> {
  const [row] = await inProfile(app, profileId, sql<{ count: number }>`SELECT count(*)::int AS count FROM merges`);
  return row?.count ?? -1;
}

async function countDeadlocks(app: Postgres): Promise<number> {
  const { rows } = await app.unbound.query(
    sql<{ deadlocks: number }>`SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()`,
  );
  return rows[0]?.deadlocks ?? -1;
}

async function openProfile(app: Postgres): Promise<{ id: string; key: BuiltKey }> {
  const { id } = await buildProfile(app);
  return { id, key: await buildApiKey(app, id) };
}

async function post(server: TestServer, key: BuiltKey, rows: readonly Row[]): Promise<number> {
  const { statusCode } = await server.fastify.inject({
    method: 'POST',
    url: '/api/v1/customers',
    headers: { ...key.headers, 'content-type': 'application/json' },
    payload: JSON.stringify({ rows }),
  });
  return statusCode;
}

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
