import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '@tributary/clock';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { type Migration, migrate, readMigrations } from './migrate.ts';
import { raw } from './queries.ts';
import { dumpSchema } from './schema.ts';
import { createScratch, type Scratch } from './scratch.ts';

const clock = new FakeClock('2026-03-01T12:00:00.007Z');
const scratches: Scratch[] = [];
let scratch: Scratch;
beforeEach(async () => {
  scratch = await createScratch({ clock });
  scratches.push(scratch);
});
afterAll(() => Promise.all(scratches.map((each) => each.drop())));

const [first] = readMigrations() as [Migration];
const second: Migration = {
  name: '9001_add_a',
  sql: 'ALTER TABLE {{every visits}} ADD COLUMN IF NOT EXISTS a UInt8; ALTER TABLE {{every visits}} ADD COLUMN IF NOT EXISTS b UInt8;',
};

describe('forward only', () => {
  test('records an applied migration with its time and does not apply it again', async () => {
    const lines: string[] = [];
    expect(await migrate(scratch.settings)).toEqual({ applied: [] });
    const report = await migrate(scratch.settings, { migrations: [first, second], say: (line) => lines.push(line) });
    expect(report).toEqual({ applied: ['9001_add_a'] });
    expect(lines).toEqual([expect.stringMatching(/^127\.0\.0\.1:\d+: applied 9001_add_a$/)]);
    const notes = await scratch.client.query(
      raw("SELECT name, applied_at FROM schema_migrations WHERE name LIKE '0001%' OR name LIKE '9%' ORDER BY name"),
      {},
    );
    expect(notes).toEqual([
      { name: first.name, applied_at: '2026-03-01T12:00:00.007Z' },
      { name: '9001_add_a', applied_at: '2026-03-01T12:00:00.007Z' },
    ]);
  });

  test('rejects a changed migration before anything is touched', async () => {
    const changed = [{ ...first, sql: `${first.sql}\nDROP TABLE visits;` }, second];
    const before = await dumpSchema(scratch.client);
    await expect(migrate(scratch.settings, { migrations: changed })).rejects.toThrow(
      /Migration 0001_visits is already applied on .* Put the file back as it was released/,
    );
    expect(await dumpSchema(scratch.client)).toBe(before);
  });

  test('ignores different line endings', async () => {
    const windows = [{ ...first, sql: first.sql.replaceAll('\n', '\r\n') }];
    expect(await migrate(scratch.settings, { migrations: windows })).toEqual({ applied: [] });
  });

  test('an older release keeps what a newer one has added', async () => {
    await migrate(scratch.settings, { migrations: [first, second] });
    expect(await migrate(scratch.settings, { migrations: [first] })).toEqual({ applied: [] });
  });
});

describe('safe to run again', () => {
  test('every migration applied again after its record is lost gives the same schema', async () => {
    const before = await dumpSchema(scratch.client);
    await scratch.client.command(raw('TRUNCATE TABLE schema_migrations'), {});
    expect(await migrate(scratch.settings)).toEqual({ applied: readMigrations().map(({ name }) => name) });
    expect(await dumpSchema(scratch.client)).toBe(before);
  });

  test('an interrupted run continues', async () => {
    const broken: Migration = { ...second, sql: `${second.sql} NONSENSE;` };
    await expect(migrate(scratch.settings, { migrations: [first, broken] })).rejects.toThrow(/NONSENSE/);
    expect(await migrate(scratch.settings, { migrations: [first, second] })).toEqual({ applied: ['9001_add_a'] });
  });

  test('concurrent runs on a database that does not exist yet', async () => {
    for (let round = 0; round < 5; round += 1) {
      await scratch.client.command(raw(`DROP DATABASE ${scratch.settings.database} SYNC`), {});
      await Promise.all(Array.from({ length: 6 }, () => migrate(scratch.settings, { migrations: [first, second] })));
      const notes = await scratch.client.query('migration_list_applied', {});
      expect(notes.map(({ name }) => name)).toEqual([first.name, second.name]);
      expect(await dumpSchema(scratch.client)).toMatch(/`a` UInt8,\n {4}`b` UInt8\n/);
    }
  });
});

test('rejects a single-node database when the settings name a cluster', async () => {
  const cluster = { name: 'tributary', nodes: [scratch.settings.url] };
  await expect(migrate({ ...scratch.settings, cluster })).rejects.toThrow(
    /was made for a single node, and the settings name the cluster "tributary"/,
  );
});

test('rejects a cluster without node addresses', async () => {
  await expect(migrate({ ...scratch.settings, cluster: { name: 'c', nodes: [] } })).rejects.toThrow(/address of each/);
});

describe('files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'migrations-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  test('are read in order; a bad name or a duplicate number is rejected', () => {
    writeFileSync(join(folder, '0002_b.sql'), 'B');
    writeFileSync(join(folder, '0001_a.sql'), 'A');
    expect(readMigrations(folder).map(({ sql }) => sql)).toEqual(['A', 'B']);
    writeFileSync(join(folder, '0002_c.sql'), 'C');
    expect(() => readMigrations(folder)).toThrow('0002_b and 0002_c have the same number');
    rmSync(join(folder, '0002_c.sql'));
    writeFileSync(join(folder, 'notes.txt'), '');
    expect(() => readMigrations(folder)).toThrow('should be called like 0002_add_something.sql');
  });
});
