import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClickHouse, createClickHouse, raw } from '@tributary/clickhouse';
import { Supervisor } from '@tributary/engines';
import { createPostgres, type Postgres } from '@tributary/postgres';
import { browserVisit, type Drill, freePort, httpApi, scene } from '@tributary/testkit';
import { sql } from 'kysely';
import { Agent } from 'undici';
import { v7 as uuid } from 'uuid';
import { AppProcess } from './app-process.ts';
import { openVisitsScene, type VisitsScene } from './visits-scene.ts';

const sizes = { small: { people: 24, erased: 3 }, full: { people: 20_000, erased: 200 } };
const set = 'drill-restore';
const lanes = 8;

/**
 * Customers visit and buy while all stores are backed up. Afterwards some of the earlier buyers are erased. Then every engine is destroyed with
 * its data, and the backup is restored into empty engines.
 */
export const drill: Drill = {
  name: 'restore',
  promise:
    'A backup restores every outcome and visit acknowledged before it, with the same credits, and no customer who was erased after it.',

  async run({ size, progress }) {
    const { people, erased } = sizes[size];
    const folder = await mkdtemp(join(tmpdir(), 'tributary-backup-'));
    const backupKeys = `b1:${Buffer.alloc(32, 9).toString('base64')}`;
    const settings = { BACKUP_FOLDER: folder, BACKUP_KEYS: backupKeys };
    const visits = await openVisitsScene(set, settings);
    const supervisor = new Supervisor(set);
    try {
      const shop = await openShop(visits);
      await each(people, async (n) => {
        await shop.visitAndBuy(n);
        progress(n, people, 'bought');
      });
      const load = shop.keepBuying(people);
      await sleep(500);
      const inDatabase = databaseOf(visits.engines.database.ownerUrl);
      const addresses = await supervisor.knownAddresses();
      const before = performance.now();
      const made = await tributary(['backup', '--json'], { ...visits.environment, ...pointAt(addresses, inDatabase) });
      const backupSeconds = secondsSince(before);
      await sleep(500);
      await load.stop();
      const mark = new Date(made.taken_at);
      const emails = await shop.eraseSome(erased);
      await visits.drained(60_000);
      await settled(visits.postgres, visits.profileId);
      const acknowledged = shop.acknowledgedBefore(mark);
      const ids = await idsOf(visits.postgres, visits.profileId, acknowledged.outcomes);
      const expected = await creditsOf(visits.clickhouse, visits.profileId, ids);
      const visitsExpected = await countVisits(visits.clickhouse, visits.profileId, acknowledged.visits);
      await shop.close();
      await visits.close();

      const empty = await supervisor.start();
      const environment: Record<string, string> = {
        ...visits.environment,
        ...pointAt(empty, 'tributary'),
        ...settings,
      };
      const began = performance.now();
      const restored = await tributary(['restore', '--json'], environment);
      const restoreSeconds = secondsSince(began);
      const worker = new AppProcess('worker', 'worker runs', environment);
      await worker.start();
      const app = createPostgres({ url: environment.DATABASE_APP_URL as string, poolSize: 4 });
      const clickhouse = createClickHouse({ url: environment.CLICKHOUSE_URL as string, database: 'drill' });
      try {
        await erasuresDone(app, visits.profileId);
        await settled(app, visits.profileId);
        const found = await retryUntil(
          () => creditsOf(clickhouse, visits.profileId, ids),
          (credits) => credits.size === expected.size,
        );
        const visitsFound = await retryUntil(
          () => countVisits(clickhouse, visits.profileId, acknowledged.visits),
          (n) => n >= visitsExpected,
        );
        const outcomesLost =
          acknowledged.outcomes.length - (await idsOf(app, visits.profileId, acknowledged.outcomes)).length;
        const different = [...expected].filter(([id, credits]) => found.get(id) !== credits).length;
        const returned = await countNamed(app, clickhouse, visits.profileId, emails);
        const rows = made.postgres_rows + made.clickhouse_rows;
        return {
          passed:
            outcomesLost === 0 &&
            different === 0 &&
            expected.size === acknowledged.outcomes.length &&
            visitsFound === visitsExpected &&
            visitsExpected === acknowledged.visits.length &&
            returned === 0 &&
            restored.erased_again === erased &&
            acknowledged.outcomes.length >= people &&
            shop.acknowledged() > acknowledged.outcomes.length,
          outcomes_before_the_mark: acknowledged.outcomes.length,
          outcomes_after_the_mark: shop.acknowledged() - acknowledged.outcomes.length,
          outcomes_lost: outcomesLost,
          credits_different: different,
          visits_before_the_mark: visitsExpected,
          visits_restored: visitsFound,
          erased_after_the_backup: erased,
          erased_found: returned,
          queues_held_ms: made.queues_held_ms,
          log_messages: made.log_messages,
          backup_seconds: backupSeconds,
          restore_seconds: restoreSeconds,
          rows,
          restore_seconds_per_million_rows: Math.round((restoreSeconds / rows) * 1e7) / 10,
        };
      } finally {
        await worker.kill();
        await Promise.all([app.close(), clickhouse.close()]);
      }
    } finally {
      await supervisor.destroy();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

interface CommandOutput {
  readonly taken_at: string;
  readonly postgres_rows: number;
  readonly clickhouse_rows: number;
  readonly queues_held_ms: number;
  readonly log_messages: number;
  readonly erased_again: number;
}

/** Runs a `tributary` command as an operator does. */
function tributary(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<CommandOutput> {
  const command = [join(import.meta.dirname, '../../apps/cli/main.ts'), ...args];
  return new Promise((resolve, reject) => {
    const env = { ...process.env, ...environment };
    execFile(process.execPath, command, { env, maxBuffer: 1 << 24 }, (error, stdout, stderr) =>
      error
        ? reject(new Error(`tributary ${args[0]} failed: ${stderr}`))
        : resolve(JSON.parse(stdout) as CommandOutput),
    );
  });
}

const databaseOf = (url: string) => new URL(url).pathname.slice(1);

const pointAt = (addresses: Readonly<Record<string, string>>, database: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(addresses).map(([name, address]) => [
      name,
      name.startsWith('DATABASE_') ? Object.assign(new URL(address), { pathname: `/${database}` }).href : address,
    ]),
  );

const secondsSince = (startedAt: number) => Math.round((performance.now() - startedAt) / 100) / 10;

/** Starts an API next to the scene's collector and worker, with customers who visit and buy. */
async function openShop(visits: VisitsScene) {
  const port = await freePort();
  const api = new AppProcess('api', 'api listens', { ...visits.environment, PORT: String(port) });
  await api.start();
  const agent = new Agent({ connections: lanes, pipelining: 1 });
  const world = {
    kit: { app: visits.postgres },
    api: httpApi(`http://127.0.0.1:${port}`, agent),
    clickhouse: visits.clickhouse,
  };
  const shop = await scene(world, {
    scopes: ['attribution:write'],
    requestsPerMinute: 600_000,
    profileId: visits.profileId,
  });
  /** When each outcome was acknowledged, with the visits acknowledged before it. */
  const outcomes = new Map<string, { readonly at: Date; readonly visits: readonly unknown[] }>();
  const visitAndBuy = async (n: number) => {
    const browser = uuid();
    const email = `person-${n}@restore.example`;
    const browserVisits = [
      browserVisit(new Date(), { url: `https://shop.example/${n}?utm_source=google&utm_medium=cpc` }),
      browserVisit(new Date(), { url: `https://shop.example/${n}`, type: 'identify', traits: { email } }),
    ];
    const status = await visits.post(JSON.stringify({ key: visits.key, client_id: browser, visits: browserVisits }));
    if (status !== 204) throw new Error(`The collector answered ${status}.`);
    const key = `order-${n}`;
    await shop.post('/api/v1/events', {
      event_name: 'payment_received',
      idempotency_key: key,
      occurred_at: new Date().toISOString(),
      properties: { value: `${10 + (n % 90)}.50`, currency: 'USD' },
      user_traits: { email },
    });
    outcomes.set(key, { at: new Date(), visits: browserVisits.map(({ id }) => id) });
  };
  return {
    visitAndBuy,
    acknowledged: () => outcomes.size,
    acknowledgedBefore(mark: Date) {
      const before = [...outcomes].filter(([, { at }]) => at < mark);
      return { outcomes: before.map(([key]) => key), visits: before.flatMap(([, { visits }]) => visits) };
    },
    keepBuying(from: number) {
      let [n, isOver] = [from, false];
      const lane = async () => {
        while (!isOver) {
          n += 1;
          await visitAndBuy(n);
        }
      };
      const both = Promise.all([lane(), lane()]);
      return {
        async stop() {
          isOver = true;
          await both;
        },
      };
    },
    /** Resolves to the erased e-mail addresses, once all erasures are done. */
    async eraseSome(count: number): Promise<string[]> {
      const emails = Array.from({ length: count }, (_, n) => `person-${n + 1}@restore.example`);
      for (const [n, email] of emails.entries())
        await shop.post('/api/v1/customers/erasures', { request_ref: `erased-${n}`, email });
      await erasuresDone(visits.postgres, visits.profileId);
      return emails;
    },
    async close() {
      await api.kill();
      await agent.close();
    },
  };
}

async function each(count: number, act: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) {
      next += 1;
      await act(next);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

async function queryRows<Row>(app: Postgres, profileId: string, query: ReturnType<typeof sql<Row>>): Promise<Row[]> {
  return (await app.forProfile(profileId).transaction((tx) => query.execute(tx))).rows;
}

async function retryUntil<T>(read: () => Promise<T>, isEnough: (result: T) => boolean): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    const result = await read();
    if (isEnough(result) || tries === 100) return result;
    await sleep(200);
  }
}

async function untilNone(app: Postgres, profileId: string, query: ReturnType<typeof sql<{ n: string }>>, what: string) {
  const deadline = performance.now() + 120_000;
  while (Number((await queryRows(app, profileId, query))[0]?.n) > 0) {
    if (performance.now() > deadline) throw new Error(`There are still ${what} after two minutes.`);
    await sleep(100);
  }
}

const settled = (app: Postgres, profileId: string) =>
  untilNone(app, profileId, sql`SELECT count(*) AS n FROM dirty_conversions`, 'conversions to be worked out');
const erasuresDone = (app: Postgres, profileId: string) =>
  untilNone(app, profileId, sql`SELECT count(*) AS n FROM erasures WHERE status <> 'done'`, 'erasures to be done');

const idsOf = async (app: Postgres, profileId: string, keys: readonly string[]): Promise<string[]> => {
  const statement = sql<{ id: string }>`SELECT id FROM outcomes WHERE idempotency_key = ANY (${[...keys]}::text[])`;
  return (await queryRows(app, profileId, statement)).map(({ id }) => id);
};

/** Reads the credits of each of these payments. */
async function creditsOf(
  clickhouse: ClickHouse,
  profileId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const some of inBatches(ids)) {
    const rows = await clickhouse.query(
      raw<{ id: string; credits: string }>(
        `SELECT toString(conversion_id) AS id, toString((conversion_time, value, currency, touch_count, linear, position_based)) AS credits
        FROM attributed_conversions FINAL WHERE profile_id = {profileId:UUID} AND conversion_id IN {ids:Array(UUID)}`,
      ),
      { profileId, ids: some },
    );
    for (const { id, credits } of rows) found.set(id, credits);
  }
  return found;
}

/** Splits ids into batches that fit into one ClickHouse parameter. */
const inBatches = <Id>(ids: readonly Id[], most = 2_000): Id[][] =>
  Array.from({ length: Math.ceil(ids.length / most) }, (_, nth) => ids.slice(nth * most, (nth + 1) * most));

async function countVisits(clickhouse: ClickHouse, profileId: string, ids: readonly unknown[]): Promise<number> {
  let found = 0;
  for (const some of inBatches([...new Set(ids)])) {
    const [row] = await clickhouse.query(
      raw<{ n: string }>(
        'SELECT uniqExact(visit_id) AS n FROM visits WHERE profile_id = {profileId:UUID} AND visit_id IN {ids:Array(UUID)}',
      ),
      { profileId, ids: some },
    );
    found += Number(row?.n);
  }
  return found;
}

/** Counts the identifiers and visits of erased customers that are still stored. */
async function countNamed(app: Postgres, clickhouse: ClickHouse, profileId: string, emails: readonly string[]) {
  const [identifiers] = await queryRows(
    app,
    profileId,
    sql<{ n: string }>`SELECT count(*) AS n FROM identifiers WHERE value = ANY (${[...emails]}::text[])`,
  );
  const [visits] = await clickhouse.query(
    raw<{ n: string }>(
      'SELECT count() AS n FROM visits WHERE profile_id = {profileId:UUID} AND url IN {urls:Array(String)}',
    ),
    { profileId, urls: emails.map((_, n) => `https://shop.example/${n + 1}`) },
  );
  return Number(identifiers?.n) + Number(visits?.n);
}
