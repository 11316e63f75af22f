import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStorage } from '@tributary/storage';
import { openTestWithClickHouse } from '@tributary/testkit';
import { S3Server } from '@tributary/testkit/s3-server';
import { attributionModelNames, hourMs } from '@tributary/vocabulary';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportParquet } from '../apps/cli/parquet-folder.ts';
import { film, openShop, outlet, winter } from '../domain/measurement/reports/reports.fixture.ts';
import { type DuckDB, hasDuckDB, openDuckDB } from './duckdb.ts';

const world = await openTestWithClickHouse();
const { kit } = world;
const folder = mkdtempSync(join(tmpdir(), 'parquet-'));
let duck: DuckDB;
let shop: Awaited<ReturnType<typeof openShop>>;

// .ci/run installs it; elsewhere the test runs only after a bench has installed it.
const isThere = hasDuckDB();
beforeAll(async () => {
  if (!isThere) return;
  duck = await openDuckDB(':memory:', 1);
  kit.clock.set(new Date());
  shop = await openShop(world, { timeZone: 'America/Santiago' });
  await shop.spend(film);
  shop.click('ana', 1, winter);
  shop.click('ana', 2, outlet);
  shop.click('ana', 2.5);
  shop.click('ben', 3, { campaign: 'winter' });
  await shop.pay('ana', 3, '10.01');
  await shop.pay('ana', 4.1, '0.02');
  await shop.pay('ben', 5, '20.50', { idempotency_key: 'ben' });
  await shop.pay('leo', 5.2, '4');
  await shop.lead('ana', 2.9);
  const properties = { value: '0.51', currency: 'USD' };
  await shop.event('ben', 6, { event_name: 'refund', refund_of: 'ben', properties });
  await shop.settle();
});
afterAll(() => {
  if (isThere) duck.close();
  rmSync(folder, { recursive: true });
});

function run(...args: string[]) {
  const days = ['--profile', shop.profileId, '--from', '2026-05-01', '--to', '2026-05-07', '--folder', folder];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, '../apps/cli/main.ts'), 'export', 'parquet', ...days, '--json', ...args],
    {
      encoding: 'utf8',
      env: {
        ...process.env,
        DATABASE_APP_URL: kit.database.appUrl,
        DATABASE_OWNER_URL: kit.database.ownerUrl,
        DATABASE_SYSTEM_URL: kit.database.systemUrl,
        CLICKHOUSE_URL: kit.clickhouseUrl,
        CLICKHOUSE_DATABASE: kit.clickhouseDatabase,
        BASE_URL: 'http://127.0.0.1',
        ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 1).toString('base64')}`,
      },
    },
  );
  return { status, stderr, printed: status === 0 ? JSON.parse(stdout) : undefined };
}

test.skipIf(!isThere)(
  'DuckDB reads exported conversions back as the report’s figures under every model, without personal data, and an interrupted export continues',
  { timeout: 120_000 },
  async () => {
    // Runs the command itself: data of ten minutes ago does not exist yet, which is not an error.
    expect(run().printed).toMatchObject({ files: 0, rows: 0, conversions: 0, value: '0' });
    rmSync(folder, { recursive: true });

    const now = new Date(Date.now() + hourMs);
    kit.clock.set(now);
    const stop = new AbortController();
    const s3 = await new S3Server().open();
    const settings = s3.settings;
    const write = (
      progress: (done: number) => void = () => {},
      dateTo = '2026-05-07',
      storage = openStorage(folder, settings),
      asOf?: string,
    ) =>
      exportParquet({ storage, dateFrom: '2026-05-01', dateTo, asOf, progress }, {
        caller: { profileId: shop.profileId },
        ledger: shop.ledger,
        clickhouse: world.clickhouse,
        signal: stop.signal.aborted ? new AbortController().signal : stop.signal,
        now,
      } as Parameters<typeof exportParquet>[1]);
    await expect(write((done) => done === 4 && stop.abort())).rejects.toThrow();
    const half = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    expect(half).toMatchObject({ is_whole: false });
    expect(half.days).toHaveLength(4);
    // A truncated file is rewritten; the others stay unchanged.
    const [first] = half.days.filter(({ file }: { file: string | null }) => file !== null);
    truncateSync(join(folder, first.file), 10);
    const manifest = await write();
    expect(manifest).toMatchObject({ is_whole: true, as_of: half.as_of, currency: 'USD', minor_digits: 2 });
    await expect(write(undefined, '2026-05-06')).rejects.toThrow('another export');
    // The same in a bucket.
    const bucket = openStorage(`s3://${s3.bucket}/may`, settings);
    const { as_of } = manifest;
    expect(await write(undefined, undefined, bucket, as_of)).toEqual(manifest);
    for (const { file } of manifest.days)
      if (file) expect(s3.objects.get(`may/${file}`)?.body.equals(readFileSync(join(folder, file)))).toBe(true);
    s3.close();

    const all = `read_parquet('${folder}/*/*.parquet', hive_partitioning = true)`;
    const columns = (await duck.rows(`DESCRIBE SELECT * FROM ${all}`)).map(({ column_name }) => column_name);
    expect(columns.filter((name) => /person|visitor|customer|email/.test(String(name)))).toEqual([]);
    const range = { date_from: '2026-05-01', date_to: '2026-05-07', as_of: manifest.as_of };
    for (const [level, models] of [
      ['campaign', attributionModelNames],
      ['ad', ['linear']],
    ] as const)
      for (const model of models) {
        const rows = await duck.rows(
          `SELECT ${level}_id AS id, sum(${model})::VARCHAR AS value FROM ${all} WHERE revenue_type = 'cash' GROUP BY 1`,
        );
        const cents = new Map(rows.map(({ id, value }) => [id, Number(value)]));
        const reported = await shop.list({ ...range, level, model });
        for (const row of reported)
          expect([model, row.campaign_name, cents.get(row.campaign_id) ?? 0]).toEqual([
            model,
            row.campaign_name,
            Math.round(row.outcome_value * 100),
          ]);
        const reportedIds = new Set(reported.map((row) => row.campaign_id));
        expect([...cents].filter(([id, value]) => id !== null && value !== 0 && !reportedIds.has(id))).toEqual([]);
        const { data } = await shop.read('/campaigns/unattributed', { ...range, level, model });
        expect(cents.get(null) ?? 0).toBe(Math.round(data.outcome_value * 100));
      }
    // Each day equals the manifest, whose days equal the report's.
    const days = await duck.rows(
      `SELECT day::VARCHAR AS day, count(*)::INT AS rows, count(DISTINCT conversion_id)::INT AS conversions,
        coalesce(sum(last_touch) FILTER (revenue_type = 'cash'), 0)::VARCHAR AS value FROM ${all} GROUP BY 1 ORDER BY 1`,
    );
    expect(days).toEqual(
      manifest.days
        .filter(({ file }) => file !== null)
        .map(({ day, rows, conversions, value }) => ({ day, rows, conversions, value })),
    );
    const { data: overview } = await shop.read('/overview', range);
    expect(Number(manifest.total.value)).toBe(Math.round(overview.totals.outcome_value * 100));
    // Ids are those that the API returns.
    const { data: explained } = await shop.read('/explain', { ...range, field: 'outcome_value' });
    const ids = explained.conversions.map(({ conversion_id: id }: { conversion_id: string }) => `'${id}'`);
    const found = await duck.rows(
      `SELECT count(DISTINCT conversion_id)::INT AS n FROM ${all} WHERE conversion_id IN (${ids})`,
    );
    expect(found).toEqual([{ n: 4 }]);
  },
);
