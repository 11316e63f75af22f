import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClickHouse, raw } from '@tributary/clickhouse';
import { loadSettings, type Settings } from '@tributary/config';
import { openBackupFolder } from '@tributary/platform';
import { atServer, createPostgres } from '@tributary/postgres';
import { openStorage } from '@tributary/storage';
import { buildProfile, farShard, openTestkit, openWarehouse, type Testkit } from '@tributary/testkit';
import { openPrivateStream, type PrivateStream } from '@tributary/testkit/stream';
import { createVault, ensureKeys } from '@tributary/vault';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { makeBackup } from './backup/make-backup.ts';
import { restoreBackup } from './backup/restore-backup.ts';

const secret = Buffer.alloc(32, 1);
const empty = [1, 2].map(() => `test_${randomBytes(6).toString('hex')}`) as [string, string];
let kit: Testkit;
let warehouse: Awaited<ReturnType<typeof openWarehouse>>;
let [log, emptyLog] = [] as unknown as [PrivateStream, PrivateStream];
let root: string;
let columns: string;

beforeAll(async () => {
  kit = await openTestkit(true);
  [log, emptyLog, warehouse] = await Promise.all([openPrivateStream(), openPrivateStream(), openWarehouse(kit)]);
  await ensureKeys(kit.owner.home.unbound, createVault([{ id: 'test', bytes: secret }]), kit.clock.now());
  root = await mkdtemp(join(tmpdir(), 'backup-'));
  columns = empty[0];
  for (const name of empty) await kit.owner.unbound.query(sql.raw(`CREATE DATABASE ${name}`));
});
afterAll(async () => {
  const clickhouse = createClickHouse({ ...kit.clickhouse, database: 'default' });
  await clickhouse.command(raw(`DROP DATABASE IF EXISTS ${columns} SYNC`), {});
  await clickhouse.close();
  for (const name of empty)
    await vi.waitFor(() => kit.owner.unbound.query(sql.raw(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)), {
      timeout: 40_000,
      interval: 200,
    });
  await Promise.all([log.destroy(), emptyLog.destroy(), warehouse.drop()]);
  await kit.close();
  await rm(root, { recursive: true });
});

/** The settings of a deployment whose home and far servers are two databases. */
function settingsOf(home: string, far: string, clickhouse: string, stream: PrivateStream): Settings {
  const server = new URL(kit.database.ownerUrl).host;
  const roles = ['OWNER', 'APP', 'SYSTEM', 'BACKUP'].map((role) => `DATABASE_${role}_URL`);
  return loadSettings({
    ...process.env,
    ...Object.fromEntries(roles.map((role) => [role, atServer(process.env[role] as string, `${server}/${home}`)])),
    LEDGER_SHARDS: `${farShard}=${server}/${far}`,
    BASE_URL: 'http://127.0.0.1',
    ENCRYPTION_KEYS: `test:${secret.toString('base64')}`,
    CLICKHOUSE_DATABASE: clickhouse,
    STREAM_PREFIX: stream.prefix,
  });
}
const nameOf = ({ ownerUrl }: { readonly ownerUrl: string }) => new URL(ownerUrl).pathname.slice(1);

test('backs up a ledger of two servers at one moment, and restores both or neither', async () => {
  const { id } = await buildProfile(kit.app);
  const from = settingsOf(
    nameOf(kit.homeDatabase as typeof kit.database),
    nameOf(kit.database),
    kit.clickhouseDatabase,
    log,
  );
  const to = settingsOf(empty[0], empty[1], columns, emptyLog);
  const folder = openBackupFolder(openStorage(root, {} as never), [{ id: 'b1', bytes: Buffer.alloc(32, 7) }]);
  const manifest = await makeBackup(from, folder, new Date());
  expect(Object.keys(manifest.shards ?? {})).toEqual([farShard]);
  expect(manifest.postgres.rows['public.profiles']).toBe(0);
  expect(manifest.shards?.[farShard]?.rows['public.profiles']).toBe(1);

  await expect(restoreBackup({ ...to, ledgerShards: new Map() }, folder, manifest)).rejects.toThrow(
    'LEDGER_SHARDS must name far, which the backup holds',
  );
  await restoreBackup(to, folder, manifest);
  const [, server = ''] = [...to.ledgerShards][0] ?? [];
  const far = createPostgres({ url: atServer(to.databaseAppUrl, server), poolSize: 1 });
  try {
    const profiles = await far.forProfile(id).transaction((tx) => tx.selectFrom('profiles').select('id').execute());
    expect(profiles).toEqual([{ id }]);
  } finally {
    await far.close();
  }
});
