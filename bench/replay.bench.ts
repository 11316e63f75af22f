import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClickHouse, createClickHouse, migrate, type Observation, raw } from '@tributary/clickhouse';
import { replay } from '@tributary/domain/measurement/attribution/module.ts';
import { createPostgres, type Postgres } from '@tributary/postgres';
import { hourWeights, minuteWeights } from '@tributary/rules';
import { type Bench, buildProfile, median, openDrillEngines } from '@tributary/testkit';
import { stageAll } from '../domain/measurement/attribution/stage-all.ts';
import { fillLargeProfile } from '../tests/parity/large-profile.ts';
import { cpuSeconds } from './cpu.ts';
import { type DuckDB, openDuckDB } from './duckdb.ts';

const people = Number(process.env.BENCH_PEOPLE ?? 1_000_000);
const touchesPerPerson = 20;
/** Checks that a touch costs the same in a small and in a large replay, which has several buckets. */
const flatPeople = (process.env.BENCH_FLAT_PEOPLE ?? '400000,3000000').split(',').map(Number);
/** Each round takes minutes, so that other load on the machine evens out within one. */
const rounds = 3;
/** Keeps each part below a few GB of memory. */
const duckdbParts = 4;
const batchId = '00000000-0000-4000-8000-000000000001';
const set = 'bench-replay';

/**
 * A complete replay: 20 million touches of 90 days, 1 million conversions, six models. Then the CPU of one with 8 and one with 60 million touches.
 */
export const bench: Bench = {
  name: 'replay',
  question: 'How long do the replay’s statements take, to one written by hand for the same rows, and to DuckDB?',
  better: 'lower',

  async run({ progress }) {
    const engines = await openDrillEngines(set, ['postgres', 'clickhouse']);
    const app = createPostgres({ url: engines.database.appUrl, poolSize: 4, statementTimeoutMs: 900_000 });
    const seen: Observation[] = [];
    const settings = { url: engines.clickhouseUrl, database: 'bench', requestTimeoutMs: 1_800_000 };
    await migrate(settings);
    const clickhouse = createClickHouse({ ...settings, observe: (observation) => seen.push(observation) });
    try {
      const { id: profileId } = await buildProfile(app);
      await fillLargeProfile(app, clickhouse, { profileId, people, touchesPerPerson }, progress);
      await clickhouse.command(raw('OPTIMIZE TABLE touches FINAL'), {});
      await prepareBare(app, clickhouse, profileId);
      const bareText = raw(readFileSync(join(import.meta.dirname, 'replay-bare.sql'), 'utf8'));
      const weights = { hour_weights: hourWeights, minute_weights: minuteWeights };
      const sides = {
        ours: () => replayed(app, clickhouse, seen, profileId),
        bare: async () => {
          await clickhouse.command(raw('TRUNCATE TABLE bare_results'), {});
          await untilQuiet(clickhouse);
          return timed(() => clickhouse.command(bareText, { profile_id: profileId, ...weights }));
        },
      };
      const figures = {
        ours: [] as number[],
        staged: [] as number[],
        bare: [] as number[],
        ours_beside_duckdb: [] as number[],
        duckdb: [] as number[],
      };
      for (let round = 0; round <= rounds; round += 1) {
        const ours = await sides.ours();
        const bare = await sides.bare();
        if (round === 0) await compareTotals(clickhouse, profileId, await sumsOf(clickhouse, 'bare_results'));
        progress(round, rounds, 'rounds against ClickHouse');
        if (round === 0) continue;
        figures.ours.push(ours.statements);
        figures.staged.push(ours.total);
        figures.bare.push(bare);
      }
      // Runs separately: it uses up to 12 GB, which would be missing for the sides above.
      await withDuckDB(clickhouse, profileId, async (duckdb) => {
        for (let round = 0; round <= rounds; round += 1) {
          const ours = await sides.ours();
          const duck = await duckdb.work();
          if (round === 0) await compareTotals(clickhouse, profileId, await duckdb.sums());
          progress(round, rounds, 'rounds against DuckDB');
          if (round === 0) continue;
          figures.ours_beside_duckdb.push(ours.statements);
          figures.duckdb.push(duck);
        }
      });
      const flat = await cpuByTouches(app, clickhouse, progress);
      const middle = Object.fromEntries(
        Object.entries(figures).map(([name, values]) => [name, median(values)]),
      ) as Record<keyof typeof figures, number>;
      const ratio = (a: number, b: number) => Math.round((a / b) * 1_000) / 1_000;
      return {
        ratio: ratio(middle.ours, middle.bare),
        ratio_with_staging: ratio(middle.staged, middle.bare),
        ratio_duckdb: ratio(middle.ours_beside_duckdb, middle.duckdb),
        ratio_cpu_a_touch: ratio(flat.at(-1)?.microseconds ?? 0, flat[0]?.microseconds ?? 0),
        cpu_a_touch: flat,
        seconds: Object.fromEntries(
          Object.entries(middle).map(([name, value]) => [name, Math.round(value * 100) / 100]),
        ),
        conversions: people,
        touches: people * touchesPerPerson,
        rounds,
      };
    } finally {
      await Promise.all([clickhouse.close(), app.close()]);
      await engines.close();
    }
  },
};

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1_000;
}

/** Waits for background merges of one side, which would slow the next one down. */
async function untilQuiet(clickhouse: ClickHouse): Promise<void> {
  for (;;) {
    const [merging] = await clickhouse.query(raw<{ n: string }>('SELECT count() AS n FROM system.merges'), {});
    if (merging?.n === '0') return;
    await sleep(500);
  }
}

/** A replay into empty tables, as after a restore: the statements alone, and including their preparation. */
async function replayed(app: Postgres, clickhouse: ClickHouse, seen: Observation[], profileId: string) {
  for (const table of ['attributed_conversions', 'attribution_history']) {
    await clickhouse.command(raw(`TRUNCATE TABLE ${table}`), {});
  }
  await untilQuiet(clickhouse);
  seen.length = 0;
  const signal = new AbortController().signal;
  const total = await timed(() =>
    replay({ app, clickhouse }, { profileId, cause: 'bench', now: () => new Date(), signal }),
  );
  const statements = seen
    .filter(({ statement }) => /^attribution_(attribute|keep_history|apply|bury)/.test(statement))
    .reduce((sum, { durationMs }) => sum + durationMs / 1_000, 0);
  return { total, statements };
}

/** The CPU of the complete replay: both engines, and the process that copies rows of the ledger into ClickHouse. */
async function cpuByTouches(
  app: Postgres,
  clickhouse: ClickHouse,
  progress: (done: number, total: number, note: string) => void,
) {
  const found: { touches: number; buckets: number; microseconds: number }[] = [];
  for (const people of flatPeople) {
    const { id: profileId } = await buildProfile(app);
    await fillLargeProfile(app, clickhouse, { profileId, people, touchesPerPerson }, progress);
    await clickhouse.command(raw('OPTIMIZE TABLE touches FINAL'), {});
    await clickhouse.command(raw('TRUNCATE TABLE attributed_conversions'), {});
    await untilQuiet(clickhouse);
    const before = cpuSeconds(set);
    const options = { profileId, cause: 'bench', now: () => new Date(), signal: new AbortController().signal };
    const { buckets } = await replay({ app, clickhouse }, options);
    const touches = people * touchesPerPerson;
    const microseconds = Math.round(((cpuSeconds(set) - before) / touches) * 1e9) / 1e3;
    found.push({ touches, buckets, microseconds });
  }
  return found;
}

async function prepareBare(app: Postgres, clickhouse: ClickHouse, profileId: string): Promise<void> {
  await stageAll(app, clickhouse, { profileId, batchId, replayId: batchId, cause: 'replay' });
  for (const [name, columns, order] of [
    ['links', 'visitor_id, person_id', 'visitor_id'],
    ['conversions', '* EXCEPT (batch_id, bucket, staged_at)', 'person_id'],
  ]) {
    await clickhouse.command(
      raw(
        `CREATE TABLE bare_${name} ENGINE = MergeTree ORDER BY ${order} AS SELECT ${columns} FROM attribution_${name} WHERE batch_id = '${batchId}'`,
      ),
      {},
    );
  }
  await clickhouse.command(
    raw(`CREATE TABLE bare_results ENGINE = MergeTree PARTITION BY toStartOfQuarter(conversion_time) ORDER BY (profile_id, conversion_time, conversion_id) AS
      SELECT profile_id, conversion_time, conversion_id, person_id, definition_id, conversion_type, revenue_type, value, currency, is_first_payment, purchase_id,
        touch_count, country, device, touch_ids, touch_times, source_ids, last_non_direct, linear, time_decay, position_based
      FROM attributed_conversions LIMIT 0`),
    {},
  );
}

async function withDuckDB(
  clickhouse: ClickHouse,
  profileId: string,
  use: (duckdb: { work(): Promise<number>; sums(): Promise<string> }) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-replay-'));
  const duckdb = await openDuckDB(join(folder, 'bench.duckdb'), 2);
  const text = readFileSync(join(import.meta.dirname, 'replay-duckdb.sql'), 'utf8');
  try {
    await prepareDuckDB(clickhouse, duckdb, profileId, folder);
    await use({
      async work() {
        await duckdb.run('TRUNCATE TABLE results');
        await untilQuiet(clickhouse);
        return timed(async () => {
          for (let part = 0; part < duckdbParts; part += 1) await duckdb.run(text.replaceAll('$part', String(part)));
        });
      },
      sums: async () => toTotals((await duckdb.rows(`SELECT ${sums} FROM results`))[0]),
    });
  } finally {
    duckdb.close();
    rmSync(folder, { recursive: true });
  }
}

async function prepareDuckDB(clickhouse: ClickHouse, duckdb: DuckDB, profileId: string, folder: string): Promise<void> {
  const { database } = clickhouse.settings;
  // fetch() refuses URLs with credentials.
  const { origin, username, password } = new URL(clickhouse.settings.url);
  const headers = { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
  const tables = {
    touches: `SELECT toString(visitor_id) AS visitor_id, toString(touch_id) AS touch_id, toString(session_id) AS session_id, toUnixTimestamp64Milli(occurred_at) AS occurred_at, source_id FROM touches WHERE profile_id = '${profileId}'`,
    links: 'SELECT toString(visitor_id) AS visitor_id, toString(person_id) AS person_id FROM bare_links',
    conversions:
      'SELECT toString(conversion_id) AS conversion_id, toString(person_id) AS person_id, toUnixTimestamp64Milli(conversion_time) AS conversion_time, value, toInt64(lookback_days) AS lookback_days FROM bare_conversions',
  };
  for (const [name, select] of Object.entries(tables)) {
    const file = join(folder, `${name}.parquet`);
    const response = await fetch(`${origin}/?database=${database}`, {
      method: 'POST',
      headers,
      body: `${select} FORMAT Parquet`,
    });
    if (!response.ok) throw new Error(await response.text());
    await pipeline(Readable.fromWeb(response.body as never), createWriteStream(file));
    await duckdb.run(
      `CREATE TABLE ${name} AS SELECT * REPLACE (${select
        .match(/AS (\w+_id)\b/g)
        ?.map((found) => found.slice(3))
        .filter((column) => column !== 'source_id')
        .map((column) => `${column}::UUID AS ${column}`)
        .join(', ')}) FROM read_parquet('${file}')`,
    );
    rmSync(file);
  }
  const partOf = `(hash(person_id) % ${duckdbParts})::INT AS part`;
  await duckdb.run(`
    CREATE OR REPLACE TABLE links AS SELECT *, ${partOf} FROM links ORDER BY part;
    CREATE OR REPLACE TABLE conversions AS SELECT *, ${partOf} FROM conversions ORDER BY part;
    CREATE OR REPLACE TABLE touches AS SELECT t.*, l.part FROM touches t JOIN links l USING (visitor_id) ORDER BY part;
    CREATE TABLE results (conversion_id UUID, value BIGINT, touch_count BIGINT, touch_ids UUID[], touch_times BIGINT[], source_ids UBIGINT[],
      last_non_direct BIGINT, linear BIGINT[], time_decay BIGINT[], position_based BIGINT[])`);
  await duckdb.run(
    `CREATE TABLE decay AS SELECT [${hourWeights.join(', ')}]::BIGINT[] AS hour_weights, [${minuteWeights.join(', ')}]::BIGINT[] AS minute_weights`,
  );
}

const sums =
  'sum(touch_count) AS touches, sum(last_non_direct) AS places, sum(linear[1]) AS linear, sum(time_decay[1] * 3 + time_decay[-1]) AS decay, sum(position_based[1] * 3 + position_based[-1]) AS position';
const toTotals = (row: Record<string, unknown> | undefined) =>
  Object.values(row ?? {})
    .map(String)
    .join(' ');
const sumsOf = async (clickhouse: ClickHouse, from: string) =>
  toTotals(
    (await clickhouse.query(raw<Record<string, string>>(`SELECT ${sums} FROM ${from} WHERE touch_count > 0`), {}))[0],
  );

/** Verifies that both sides computed the same; otherwise their times would not be comparable. */
async function compareTotals(clickhouse: ClickHouse, profileId: string, theirs: string): Promise<void> {
  const ours = await sumsOf(
    clickhouse,
    `(SELECT * FROM attributed_conversions FINAL WHERE profile_id = '${profileId}')`,
  );
  if (ours !== theirs) throw new Error(`The sides differ: ours ${ours}, theirs ${theirs}.`);
}
