import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildProfile, openKit } from '@tributary/testkit';
import { afterAll, beforeEach, expect, test } from 'vitest';

const kit = await openKit();
const directory = mkdtempSync(join(tmpdir(), 'spend-'));
let file: string;
let profileId: string;
afterAll(() => rmSync(directory, { recursive: true }));
beforeEach(async () => {
  profileId = (await buildProfile(kit.app)).id;
  file = join(directory, `${profileId}.csv`);
});

function start(...args: string[]) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), 'spend', 'import', file, ...args], {
    env: {
      ...process.env,
      DATABASE_APP_URL: kit.database.appUrl,
      DATABASE_OWNER_URL: kit.database.ownerUrl,
      DATABASE_SYSTEM_URL: kit.database.systemUrl,
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
}
async function run(...args: string[]) {
  const { output, ended } = start('--profile', profileId, '--json', ...args);
  const code = await ended;
  return { code, error: output.error, counts: output.out ? JSON.parse(output.out) : undefined };
}
const days = () =>
  kit.app
    .forProfile(profileId)
    .transaction((tx) =>
      tx.selectFrom('ad_delivery').select(['spend', 'impressions', 'revision']).orderBy('day').execute(),
    );
const write = (...lines: string[]) => writeFileSync(file, `${lines.join('\n')}\n`);
const header = 'platform,level,external_id,date,currency,spend,impressions';

test('a file is recorded, is unchanged when imported again, and restates days when changed', async () => {
  write(header, 'tiktok,ad,1,2026-05-01,USD,1.10,100', 'tiktok,ad,1,2026-05-02,USD,2.20,');
  expect(await run()).toMatchObject({
    code: 0,
    counts: { rows: 2, recorded: 2, updated: 0, unchanged: 0, rejected: 0, rejected_rows: null },
  });
  expect((await run()).counts).toMatchObject({ recorded: 0, unchanged: 2 });
  write(header, 'tiktok,ad,1,2026-05-01,USD,1.50,100', 'tiktok,ad,1,2026-05-02,USD,2.2,0');
  expect((await run()).counts).toMatchObject({ updated: 1, unchanged: 1 });
  expect(await days()).toEqual([
    { spend: '1.5', impressions: '100', revision: '2' },
    { spend: '2.2', impressions: '0', revision: '1' },
  ]);
});

test('skips only the invalid line, and reports its line and reason; --dry-run reports the same and records nothing', async () => {
  write(
    header,
    'tiktok,ad,1,2026-05-01,USD,1,1',
    'tiktok,ad,1,2026-05-32,USD,1,1',
    'tiktok,ad,1',
    'tiktok,ad,1,2026-05-02,USD,,1',
  );
  expect(await run('--dry-run')).toMatchObject({ code: 1, counts: { rows: 4, recorded: 0, rejected: 3 } });
  expect(await days()).toHaveLength(0);
  const { code, counts } = await run();
  expect([code, counts]).toMatchObject([1, { rows: 4, recorded: 1, rejected: 3 }]);
  const lines = readFileSync(counts.rejected_rows, 'utf8').trim().split('\n');
  expect(lines.map((line) => line.split(',').slice(0, 2).join())).toEqual([
    'line,field',
    '3,date',
    '4,platform',
    '5,spend',
  ]);
});

test('continues after being killed', async () => {
  const total = 5_000;
  write(
    header,
    ...Array.from({ length: total }, (_, index) => {
      const day = new Date(Date.UTC(2026, 0, 1 + (index % 100))).toISOString().slice(0, 10);
      return `tiktok,ad,${Math.floor(index / 100)},${day},USD,1,1`;
    }),
  );
  const { child, ended } = start('--profile', profileId);
  while (!existsSync(`${file}.progress.json`) && child.exitCode === null) await sleep(2);
  child.kill('SIGKILL');
  await ended;
  const early = (await days()).length;
  expect(early).toBeGreaterThanOrEqual(1_000);
  expect(early).toBeLessThan(total);
  const { counts } = await run();
  expect(counts).toMatchObject({ rows: total, updated: 0, rejected: 0 });
  expect(counts.unchanged).toBeLessThanOrEqual(1_000);
  expect(await days()).toHaveLength(total);
});

test.each([
  ['no such profile', header, '018f0000-0000-7000-8000-000000000000', 'no such profile'],
  ['no external_id', 'platform,spend', undefined, '"external_id"'],
  ['a column that there is not', `${header},cost`, undefined, 'no column "cost"'],
])('%s: the import is refused before a row is read', async (_, first, profile, words) => {
  write(first, 'x');
  const { output, ended } = start('--profile', profile ?? profileId);
  expect(await ended).toBe(1);
  expect(output.error).toContain(words);
});
