import { type ClickHouse, createClickHouse } from '@tributary/clickhouse';
import { Supervisor } from '@tributary/engines';
import { createPostgres, type Postgres, partsOf } from '@tributary/postgres';
import { connectStream, type Stream } from '@tributary/stream';
import { buildApiKey, freePort } from '@tributary/testkit';
import pg from 'pg';
import { AppProcess } from './app-process.ts';
import { until } from './faults-scene.ts';
import { countStores, openVisitsScene, type VisitsScene } from './visits-scene.ts';

/** A deployment on three machines: PostgreSQL with a synchronous standby, and NATS with three replicas of each visit. */
export interface FailoverScene extends VisitsScene {
  readonly api: AppProcess;
  readonly apiUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The first runs all engines, the second a PostgreSQL standby and NATS, the third NATS. */
  readonly machines: readonly [Supervisor, Supervisor, Supervisor];
  /** The environment in which operator commands run. */
  readonly operatorEnvironment: Readonly<Record<string, string>>;
}

const prefix = 'drill';

export async function openFailoverScene(set: string): Promise<FailoverScene> {
  const machines = [new Supervisor(set), new Supervisor(`${set}-2`), new Supervisor(`${set}-3`)] as const;
  const [first, second, third] = machines;
  const apiPort = await freePort();
  let api: AppProcess | undefined;
  const opened: { postgres?: Postgres; clickhouse?: ClickHouse; stream?: Stream } = {};
  const closeRest = async () => {
    await api?.kill();
    await Promise.all([opened.stream?.close(), opened.postgres?.close(), opened.clickhouse?.close()]);
    await Promise.all([second.destroy(), third.destroy()]);
  };
  const prepare = async () => {
    await Promise.all([second.destroy(), third.destroy()]);
    await first.joinNats([second, third]);
    await Promise.all([second.start(['nats']), third.start(['nats'])]);
  };
  const lead = async (settings: Readonly<Record<string, string>>) => {
    await second.followPostgres(first);
    await awaitStandby(first);
    const standby = (await second.place('postgres')).ports.main;
    const nats: string[] = [];
    for (const machine of machines) nats.push(Object.values(await machine.start(['nats']))[0] ?? '');
    const ledgers = ['DATABASE_APP_URL', 'DATABASE_SYSTEM_URL', 'DATABASE_COLLECTOR_URL'].map((name) => {
      const { hosts, withHost } = partsOf(settings[name] ?? '');
      return [name, withHost(`${hosts[0]},127.0.0.1:${standby}`)];
    });
    const environment = {
      ...(Object.fromEntries(ledgers) as Record<string, string>),
      NATS_URL: nats.join(','),
      STREAM_REPLICAS: '3',
      PORT: String(apiPort),
      BASE_URL: `http://127.0.0.1:${apiPort}`,
    };
    opened.stream = await connectStream({ url: environment.NATS_URL, prefix, replicas: 3 });
    const { stream } = opened;
    const hasStreams = async () => {
      await stream.ensureStreams();
      return (await stream.copies()).current === 3;
    };
    // Until the three servers have elected a leader, requests to them get no response.
    await until('three NATS servers have created the streams', 90_000, hasStreams, { attemptMs: 20_000 });
    return environment;
  };
  const visits = await openVisitsScene(set, lead, prepare).catch(async (error: unknown) => {
    await closeRest();
    throw error;
  });
  const close = async () => {
    await closeRest();
    await visits.close();
  };
  try {
    const { environment, profileId, engines } = visits;
    const postgres = createPostgres({ url: environment.DATABASE_APP_URL ?? '', poolSize: 4 });
    const clickhouse = createClickHouse({ ...engines.clickhouse, database: 'drill' });
    Object.assign(opened, { postgres, clickhouse });
    const stream = opened.stream as Stream;
    const scopes = ['attribution:write', 'campaigns:read', 'conversions:read'] as const;
    const { headers } = await buildApiKey(postgres, profileId, { scopes });
    api = new AppProcess('api', 'api listens', environment);
    await api.start();
    const owner = partsOf(engines.database.ownerUrl);
    const standby = (await second.place('postgres')).ports.main;
    return {
      ...visits,
      postgres,
      clickhouse,
      stream,
      api,
      apiUrl: `http://127.0.0.1:${apiPort}`,
      headers,
      machines,
      operatorEnvironment: {
        ...environment,
        DATABASE_OWNER_URL: owner.withHost(`${owner.hosts[0]},127.0.0.1:${standby}`),
      },
      counts: () => countStores({ clickhouse, postgres, stream, shops: [{ profileId }] }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Runs statements as the server's superuser, which settings and promotions require. */
export async function runAsSuperuser<Row extends pg.QueryResultRow>(
  machine: Supervisor,
  ...statements: string[]
): Promise<Row[]> {
  const { ports, password } = await machine.place('postgres');
  const admin = new pg.Client({
    connectionString: `postgres://postgres:${password}@127.0.0.1:${ports.main}/postgres`,
    connectionTimeoutMillis: 5_000,
    query_timeout: 60_000,
  });
  admin.on('error', () => {});
  await admin.connect();
  try {
    let rows: Row[] = [];
    for (const statement of statements) rows = (await admin.query<Row>(statement)).rows;
    return rows;
  } finally {
    await admin.end();
  }
}

/** Makes commits wait until the standby has them on disk. */
export async function awaitStandby(primary: Supervisor): Promise<void> {
  await until('the standby follows', 30_000, async () => {
    const rows = await runAsSuperuser(primary, "SELECT FROM pg_stat_replication WHERE state = 'streaming'");
    return rows.length === 1;
  });
  await runAsSuperuser(primary, "ALTER SYSTEM SET synchronous_standby_names = '*'", 'SELECT pg_reload_conf()');
  await until('commits wait for the standby', 30_000, async () => {
    const rows = await runAsSuperuser(primary, "SELECT FROM pg_stat_replication WHERE sync_state = 'sync'");
    return rows.length === 1;
  });
}
