import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { raw } from '@tributary/clickhouse';
import { createPostgres } from '@tributary/postgres';
import { buildProfile, openTestkit, openWarehouse, type Testkit } from '@tributary/testkit';
import { createVault, ensureKeys } from '@tributary/vault';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

let kit: Testkit;
let warehouse: Awaited<ReturnType<typeof openWarehouse>>;
let directory: string;
let file: string;
let profileId: string;
beforeAll(async () => {
  kit = await openTestkit();
  warehouse = await openWarehouse(kit);
  const operator = createPostgres({ url: kit.database.ownerUrl, poolSize: 1 });
  await ensureKeys(operator.unbound, createVault([{ id: 'test', bytes: Buffer.alloc(32, 1) }]), kit.clock.now());
  await operator.close();
  directory = mkdtempSync(join(tmpdir(), 'import-'));
});
afterAll(async () => {
  rmSync(directory, { recursive: true });
  await warehouse.drop();
  await kit.close();
});
beforeEach(async () => {
  profileId = (await buildProfile(kit.app, { reportingCurrency: 'CLP' })).id;
  file = join(directory, `${profileId}.csv`);
});

const start = (...args: string[]) => startOf('outcomes', ...args);
const startOf = (what: string, ...args: string[]) => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), 'import', what, file, ...args], {
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
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { out: '', error: '' };
  child.stdout.on('data', (data: Buffer) => {
    output.out += data;
  });
  child.stderr.on('data', (data: Buffer) => {
    output.error += data;
  });
  return { child, output, ended: once(child, 'close').then(([code]) => code as number | null) };
};
const run = (...args: string[]) => runOf('outcomes', ...args);
const runOf = async (what: string, ...args: string[]) => {
  const { output, ended } = startOf(what, '--profile', profileId, '--json', ...args);
  const code = await ended;
  return { code, error: output.error, counts: output.out ? JSON.parse(output.out) : undefined };
};
const outcomes = () =>
  kit.app
    .forProfile(profileId)
    .transaction((tx) => tx.selectFrom('outcomes').selectAll().orderBy('occurred_at').execute());
const write = (...lines: string[]) => writeFileSync(file, `${lines.join('\n')}\n`);

describe('a file of outcomes', () => {
  test('is recorded as POST /events would record it, with unknown columns as properties', async () => {
    write(
      'event_name,idempotency_key,occurred_at,value,currency,external_id,email,branch',
      'payment_received,p-1,2026-05-01T12:00:00Z,1990.50,CLP,c-1,Ana@Example.com,"Norte, 2"',
      'payment_received,p-2,2026-05-20T12:00:00Z,5,CLP,c-1,,',
      'lead_created,,2026-05-02T12:00:00Z,,,c-2,,',
    );
    const { code, counts } = await run();
    expect([code, counts]).toEqual([
      0,
      { rows: 3, recorded: 3, updated: 0, duplicate: 0, rejected: 0, rejected_rows: null },
    ]);
    const rows = await outcomes();
    expect(rows.map((row) => [row.event_name, row.amount, row.is_first_payment])).toEqual([
      ['payment_received', '1990.5', true],
      ['lead_created', null, null],
      ['payment_received', '5', false],
    ]);
    expect(rows[0]?.rest).toEqual({ properties: { branch: 'Norte, 2' }, click_ids: {} });
    expect(rows[0]?.customer_id).toBe(rows[2]?.customer_id);
  });

  test('creates no duplicates when imported again, with or without a key', async () => {
    write('event_name,idempotency_key,value,currency', 'payment_received,p-1,7,CLP', 'lead_created,,,');
    await run();
    expect((await run()).counts).toMatchObject({ recorded: 0, duplicate: 2 });
    expect(await outcomes()).toHaveLength(2);
  });

  test('skips only the invalid row, and reports its line and reason without its cells', async () => {
    write(
      'event_name,idempotency_key,value,currency,email',
      'payment_received,p-1,7,CLP,one@example.com',
      'payment_received,,7,CLP,secret@example.com',
      'payment_received,p-3,7',
      'payment_received,p-4,"seven\nthousand",CLP,',
      'payment_received,p-5,7,CLP,',
    );
    const { code, counts } = await run();
    expect([code, counts]).toEqual([1, expect.objectContaining({ rows: 5, recorded: 2, rejected: 3 })]);
    const report = readFileSync(counts.rejected_rows, 'utf8');
    expect(report.split('\n').map((line) => line.split(',').slice(0, 2).join())).toEqual([
      'line,field',
      '3,idempotency_key',
      '4,event_name',
      '6,properties.value',
      '',
    ]);
    expect(report).not.toContain('secret');
  });

  test('reports the same with --dry-run and records nothing', async () => {
    write('event_name,value', 'payment_received,7', 'lead_created,');
    const { code, counts } = await run('--dry-run');
    expect([code, counts]).toEqual([1, expect.objectContaining({ rows: 2, recorded: 0, rejected: 1 })]);
    expect(await outcomes()).toHaveLength(0);
  });

  test('continues after being killed, without duplicates', async () => {
    const total = 6_000;
    write(
      'event_name,idempotency_key,value,currency,external_id',
      ...Array.from({ length: total }, (_, index) => `payment_received,p-${index},7,CLP,c-${index % 900}`),
    );
    const { child, ended } = start('--profile', profileId);
    while (!existsSync(`${file}.progress.json`) && child.exitCode === null) await sleep(2);
    child.kill('SIGKILL');
    await ended;
    const early = (await outcomes()).length;
    expect(early).toBeGreaterThanOrEqual(1_000);
    expect(early).toBeLessThan(total);
    const { counts } = await run();
    expect(counts).toMatchObject({ rows: total, rejected: 0 });
    // Rows within the stored progress were not sent again.
    expect(counts.duplicate).toBeLessThanOrEqual(1_000);
    expect(await outcomes()).toHaveLength(total);
    expect(existsSync(`${file}.progress.json`)).toBe(false);
  });

  test('of another product is mapped by its format, and is unchanged when imported again', async () => {
    write(
      'Name,Email,Financial Status,Paid at,Currency,Total,Lineitem name,Refunded Amount,Id',
      '#1,ana@example.com,partially_refunded,2026-05-01 09:30:00 -0400,CLP,1990,Boots,500,11',
      '#1,ana@example.com,,,,,Socks,,',
      '#2,eva@example.com,pending,,CLP,700,Hat,0,12',
      '#3,eva@example.com,paid,2026-05-02 09:30:00 -0400,CLP,300,Hat,0,13',
    );
    const first = await run('--format', 'shopify');
    expect([first.code, first.counts]).toMatchObject([0, { rows: 3, recorded: 3, rejected: 0 }]);
    expect((await run('--format', 'shopify')).counts).toMatchObject({ recorded: 0, duplicate: 3 });
    expect((await outcomes()).map(({ event_name, amount }) => [event_name, amount])).toEqual([
      ['payment_received', '1990'],
      ['payment_received', '300'],
    ]);
    writeFileSync(
      file,
      `${JSON.stringify({ event: 'paid', uuid: 'u-1', distinct_id: 'c-1', properties: { value: 7, currency: 'CLP' } })}\n[]\n`,
    );
    const { output, ended } = start('--profile', profileId, '--format', 'posthog', '--dry-run');
    expect([await ended, output.error]).toEqual([1, expect.stringContaining('Line 2 is no JSON object')]);
  });

  test.each([
    ['no such profile', () => write('event_name', 'x'), '018f0000-0000-7000-8000-000000000000', 'no such profile'],
    ['no event_name', () => write('name', 'x'), undefined, '"event_name"'],
    ['a column twice', () => write('event_name,value,value', 'x,1,2'), undefined, '"value" is named twice'],
  ])('%s: the import is refused and records nothing', async (_, prepare, profile, words) => {
    prepare();
    const { output, ended } = start('--profile', profile ?? profileId);
    expect(await ended).toBe(1);
    expect(output.error).toContain(words);
    expect(await outcomes()).toHaveLength(0);
  });
});

test('a file of visits supports a dry run, and continues after being killed without duplicates', async () => {
  const total = 30_000;
  const row = (index: number) =>
    `browser-${index % 4_000},2026-05-${String(1 + (index % 28)).padStart(2, '0')}T10:00:00.${String(index % 1_000).padStart(3, '0')}Z,https://shop.example/p/${index},https://www.google.com/`;
  write('client_id,occurred_at,url,referrer', ...Array.from({ length: total }, (_, index) => row(index)), 'broken,,,');
  const stored = async () => {
    const [found] = await warehouse.client.query(
      raw<{ visits: string; browsers: string; touches: string }>(`
        SELECT count() AS visits, uniqExact(visitor_id) AS browsers,
          (SELECT count() FROM touches FINAL WHERE profile_id = {profileId:UUID}) AS touches
        FROM visits FINAL WHERE profile_id = {profileId:UUID}`),
      { profileId },
    );
    return found;
  };
  const looked = await runOf('visits', '--dry-run');
  expect([looked.code, looked.counts]).toMatchObject([1, { rows: total + 1, would_be_imported: total, rejected: 1 }]);
  expect(await stored()).toMatchObject({ visits: '0' });

  const { child, ended } = startOf('visits', '--profile', profileId);
  while (!existsSync(`${file}.progress.json`) && child.exitCode === null) await sleep(2);
  child.kill('SIGKILL');
  await ended;
  expect(Number((await stored())?.visits)).toBeGreaterThanOrEqual(10_000);
  const { code, counts } = await runOf('visits');
  expect([code, counts]).toMatchObject([1, { rows: total + 1, imported: total, rejected: 1 }]);
  expect(readFileSync(`${file}.rejected.csv`, 'utf8')).toMatch(/^line,field,message\n30002,occurred_at,/);
  expect(await stored()).toEqual({ visits: String(total), browsers: '4000', touches: String(total) });
});

test('a file of customers is accepted as the route accepts its rows', async () => {
  write(
    'email,phone,external_id,first_name',
    'ana@example.com,,c-1,Ana',
    'ana@example.com,+56987654321,,',
    'x,,c-3,',
    ',,,',
  );
  const looked = await runOf('customers', '--dry-run');
  expect([looked.code, looked.counts]).toMatchObject([1, { rows: 4, created: 0, matched: 0, rejected: 2 }]);
  expect((await runOf('customers')).counts).toMatchObject({ rows: 4, created: 1, matched: 1, rejected: 2 });
  expect(readFileSync(`${file}.rejected.csv`, 'utf8')).toMatch(/\n4,email,.*\n5,email,/);
});
