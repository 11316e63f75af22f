import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clickhouseSettings, createClickHouse, raw } from '@tributary/clickhouse';
import { loadSettings, type Settings } from '@tributary/config';
import { tombstonesUnder } from '@tributary/domain/commerce/customers/module.ts';
import { repeatErasures } from '@tributary/domain/privacy/erasures/module.ts';
import { configuredBackupFolder, openBackupFolder } from '@tributary/platform';
import { createPostgres, type Postgres } from '@tributary/postgres';
import { openStorage } from '@tributary/storage';
import {
  buildApiKey,
  buildProfile,
  openApi,
  openTestkit,
  openWarehouse,
  type TestApi,
  type Testkit,
} from '@tributary/testkit';
import { S3Server } from '@tributary/testkit/s3-server';
import { openPrivateStream, type PrivateStream } from '@tributary/testkit/stream';
import { createVault, ensureKeys, KeyRing, loadKeys } from '@tributary/vault';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  backupKeys,
  differences,
  earlierVersions,
  encryptionKeys,
  folderOf,
  questions,
} from '../../tests/upgrade/versions.ts';
import { makeBackup, pruneBackups, verifyFiles } from './backup/make-backup.ts';
import { filesOf, listBackups, readManifest } from './backup/manifest.ts';
import { keysIn, restoreBackup } from './backup/restore-backup.ts';
import { migrateAll } from './commands/migrate.ts';

const inDatabase = (url: string, database: string) => Object.assign(new URL(url), { pathname: `/${database}` }).href;
const databasesOf = (name: string) =>
  Object.fromEntries(
    ['OWNER', 'APP', 'SYSTEM', 'BACKUP'].map((role) => [
      `DATABASE_${role}_URL`,
      inDatabase(process.env[`DATABASE_${role}_URL`] as string, name),
    ]),
  );
const parseKeys = (text: string) => {
  const [id = '', bytes = ''] = text.split(':');
  return [{ id, bytes: Buffer.from(bytes, 'base64') }];
};
const master = createVault([{ id: 'test', bytes: Buffer.alloc(32, 1) }]);

const s3 = new S3Server();
let kit: Testkit;
let api: TestApi;
let log: PrivateStream;
let emptyLog: PrivateStream;
let warehouse: Awaited<ReturnType<typeof openWarehouse>>;
let root: string;
let settings: Settings;
let emptySettings: Settings;
const emptyName = `test_${randomBytes(6).toString('hex')}`;
const keys = [{ id: 'b1', bytes: Buffer.alloc(32, 7) }];
const inBucket = {
  BACKUP_FOLDER: `s3://${s3.bucket}/tributary`,
  BACKUP_KEYS: `b1:${Buffer.alloc(32, 7).toString('base64')}`,
};
const ownFolder = () => openBackupFolder(openStorage(root, s3.settings), keys);

beforeAll(async () => {
  kit = await openTestkit();
  await s3.open();
  [log, emptyLog, warehouse] = await Promise.all([openPrivateStream(), openPrivateStream(), openWarehouse(kit)]);
  await ensureKeys(kit.owner.unbound, master, kit.clock.now());
  const ring = new KeyRing(master, () => loadKeys(kit.app.unbound));
  await ring.refresh();
  api = await openApi(kit, { tombstoneKey: () => ring.eldest('tombstone').bytes });
  root = await mkdtemp(join(tmpdir(), 'backup-'));
  const common = {
    ...process.env,
    BASE_URL: 'http://127.0.0.1',
    ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 1).toString('base64')}`,
    ...inBucket,
    BACKUP_FOLDER: root,
  };
  const database = new URL(kit.database.ownerUrl).pathname.slice(1);
  settings = loadSettings({
    ...common,
    ...databasesOf(database),
    CLICKHOUSE_DATABASE: kit.clickhouseDatabase,
    STREAM_PREFIX: log.prefix,
  });
  emptySettings = loadSettings({
    ...common,
    ...databasesOf(emptyName),
    CLICKHOUSE_DATABASE: emptyName,
    STREAM_PREFIX: emptyLog.prefix,
  });
  await kit.owner.unbound.query(sql.raw(`CREATE DATABASE ${emptyName}`));
});
afterAll(async () => {
  await api.close();
  await warehouse.drop();
  await log.destroy();
  await emptyLog.destroy();
  const columns = createClickHouse({ ...clickhouseSettings(emptySettings), database: 'default' });
  await columns.command(raw(`DROP DATABASE IF EXISTS ${emptyName} SYNC`), {});
  await columns.close();
  // A connection of another role may still be closing, and the owner cannot terminate it.
  await vi.waitFor(() => kit.owner.unbound.query(sql.raw(`DROP DATABASE IF EXISTS ${emptyName} WITH (FORCE)`)), {
    timeout: 20_000,
    interval: 200,
  });
  await kit.close();
  await rm(root, { recursive: true });
  s3.close();
});

describe('a sealed file', () => {
  test('of any size decrypts to its content, and is rejected when truncated, changed, renamed or under another key', async () => {
    const folder = ownFolder();
    const largest = (1 << 20) + 1;
    for (const size of [0, 1, 1 << 20, largest]) {
      // Random data does not compress, so it fills more than one frame.
      const text = randomBytes(size).toString('base64');
      const written = await folder.write(`sizes/${size}`, text);
      await folder.verify(written);
      expect((await folder.readText(`sizes/${size}`)) === text, String(size)).toBe(true);
    }
    const path = join(root, 'sizes', String(largest));
    const sealed = await readFile(path);
    const wrong = {
      cut: sealed.subarray(0, -200_000),
      changed: Buffer.from(sealed).fill(0, 500, 501 + (sealed[500] === 0 ? 1 : 0)),
      'without its end': sealed.subarray(0, 60),
    };
    for (const [name, bytes] of Object.entries(wrong)) {
      await writeFile(path, bytes);
      await expect(folder.readText(`sizes/${largest}`), name).rejects.toThrow();
    }
    await writeFile(path, sealed);
    await writeFile(join(root, 'sizes/renamed'), sealed);
    await expect(folder.readText('sizes/renamed')).rejects.toThrow(/does not open/);
    const other = openBackupFolder(openStorage(root, s3.settings), [{ id: 'b1', bytes: Buffer.alloc(32, 8) }]);
    await expect(other.readText('sizes/1')).rejects.toThrow(/does not open/);
    expect((await readdir(join(root, 'sizes'))).filter((name) => name.endsWith('.unfinished'))).toEqual([]);
  });
});

test('restores a backup into empty engines completely, without customers erased since', async () => {
  const { id: profileId } = await buildProfile(kit.app);
  const { headers } = await buildApiKey(kit.app, profileId, { scopes: ['attribution:write'] });
  const post = async (url: string, payload: object) =>
    (await api.fastify.inject({ method: 'POST', url, headers: { ...headers }, payload })).json().data;
  await post('/api/v1/customers', {
    rows: [
      { email: 'ana@example.cl' },
      { email: 'eva@example.cl' },
      { email: 'ana.2@example.cl', phone: '+56911111111' },
    ],
  });
  await warehouse.client.command(
    raw(`INSERT INTO visits (profile_id, visitor_id, visit_id, occurred_at, url)
      SELECT '${profileId}', generateUUIDv4(), generateUUIDv4(), toDateTime64('2026-0' || toString(1 + number % 6) || '-01 00:00:00', 3, 'UTC'), 'https://shop.example/' || toString(number)
      FROM numbers(100)`),
    {},
  );
  await log.stream.publish([1, 2, 3].map((n) => ({ id: `m${n}`, key: `k${n}`, payload: Buffer.from(`visit ${n}`) })));

  const folder = ownFolder();
  const manifest = await makeBackup(settings, folder, new Date());
  expect(manifest.log.messages).toBe(3);
  expect(manifest.postgres.rows['public.customers']).toBe(3);
  expect(manifest.clickhouse.partitions.filter(({ table }) => table === 'visits').map(({ rows }) => rows)).toEqual([
    expect.any(Number),
    expect.any(Number),
  ]);
  // No personal data is stored in plain text.
  for (const { file } of filesOf(manifest)) expect((await readFile(join(root, file))).includes('example')).toBe(false);
  const clones = await warehouse.client.query(
    raw<{ n: string }>(
      "SELECT count() AS n FROM system.tables WHERE database = currentDatabase() AND name LIKE 'backup%'",
    ),
    {},
  );
  expect(clones).toEqual([{ n: '0' }]);

  // Unchanged ClickHouse partitions are not copied again.
  const second = await makeBackup(settings, folder, new Date());
  expect(second.clickhouse.partitions.filter(({ file }) => file.includes(second.id))).toEqual([]);
  expect(await listBackups(folder)).toEqual([manifest.id, second.id]);

  // The same in a bucket, over connections that fail now and then.
  let requestCount = 0;
  s3.fault = () => {
    requestCount += 1;
    return (['before', 'after', 'amid'] as const)[requestCount % 12];
  };
  const bucket = configuredBackupFolder(
    loadSettings({ ...process.env, BASE_URL: 'http://127.0.0.1', ...s3.environment, ...inBucket }),
  );
  const third = await makeBackup(settings, bucket, new Date());
  const contents = ({ clickhouse, log, keys }: typeof third) =>
    [...clickhouse.partitions, log, keys].map(({ sha256 }) => sha256);
  expect(contents(third)).toEqual(contents(second));
  expect(third.postgres.rows).toEqual(second.postgres.rows);
  for (const { body } of s3.objects.values()) expect(body.includes('example')).toBe(false);

  const { erasure_id: erasureId } = await post('/api/v1/customers/erasures', {
    request_ref: 'r1',
    email: 'ana@example.cl',
  });
  const tombstones = await kit.app
    .forProfile(profileId)
    .transaction((tx) => sql<{ hash: string }>`SELECT encode(hash, 'hex') AS hash FROM tombstones`.execute(tx));

  // Refuses engines that are in use, and other keys.
  await expect(restoreBackup(settings, folder, manifest)).rejects.toThrow(/has tables/);
  const otherKeys = { ...emptySettings, encryptionKeys: [{ id: 'x', bytes: Buffer.alloc(32) }] };
  await expect(restoreBackup(otherKeys, folder, manifest)).rejects.toThrow(/ENCRYPTION_KEYS/);
  expect(await keysIn(folder, manifest)).toBe(`test:${Buffer.alloc(32, 1).toString('base64')}`);

  await restoreBackup(emptySettings, bucket, await readManifest(bucket, 'latest'));
  const app = createPostgres({ url: emptySettings.databaseAppUrl, poolSize: 2 });
  const clickhouse = createClickHouse(clickhouseSettings(emptySettings));
  try {
    expect(await emails(app, profileId)).toEqual(['ana.2@example.cl', 'ana@example.cl', 'eva@example.cl']);
    expect(await emails(app, '018f0000-0000-7000-8000-000000000000'), 'the walls stand').toEqual([]);
    const all = raw<{ n: string; hash: string }>(
      'SELECT count() AS n, toString(sum(cityHash64(*))) AS hash FROM visits',
    );
    expect(await clickhouse.query(all, {})).toEqual(await warehouse.client.query(all, {}));

    const ring = new KeyRing(master, () => loadKeys(app.unbound));
    await ring.refresh();
    const services = {
      tombstones: tombstonesUnder(() => ring.eldest('tombstone').bytes),
      vault: ring.envelope(),
      clickhouse,
    };
    const note = {
      profileId,
      erasureId,
      requestRef: 'r1',
      reason: 'other' as const,
      requestedAt: new Date().toISOString(),
      customerKey: null,
      // Simulates a merge after the backup: the merged customer is found by its hash alone.
      customerIds: [],
      wasStrong: true,
      tombstones: tombstones.rows.map(({ hash }) => hash),
    };
    expect(await repeatErasures(app, services, [note])).toEqual({ erasures: 1, people: 1 });
    expect(await emails(app, profileId)).toEqual(['ana.2@example.cl', 'eva@example.cl']);
    expect(await repeatErasures(app, services, [note]), 'a second time').toEqual({ erasures: 0, people: 0 });
  } finally {
    await app.close();
    await clickhouse.close();
  }
  const messages = [];
  for await (const { id, payload } of emptyLog.stream.readVisits())
    messages.push([id, Buffer.from(payload, 'base64').toString()]);
  expect(messages).toEqual([1, 2, 3].map((n) => [`m${n}`, `visit ${n}`]));

  // Expired backups are deleted with the files that no other backup needs; the newest is kept.
  const later = new Date(Date.now() + 40 * 86_400_000);
  expect(await pruneBackups(settings, folder, later)).toBe(1);
  expect(await listBackups(folder)).toEqual([second.id]);
  await verifyFiles(folder, second);
  await writeFile(join(root, second.postgres.file), 'somebody was here');
  await expect(verifyFiles(folder, second)).rejects.toThrow();
});

test.each(earlierVersions)(
  '$name: its data is migrated, and its reports return the same figures as then',
  async (version) => {
    const earlier = openBackupFolder(openStorage(folderOf(version.name), s3.settings), parseKeys(backupKeys));
    const manifest = await readManifest(earlier, 'latest');
    const recorded = JSON.parse(await readFile(join(folderOf(version.name), 'reports.json'), 'utf8'));
    const upgraded = await openPrivateStream();
    const name = `test_${randomBytes(6).toString('hex')}`;
    await kit.owner.unbound.query(sql.raw(`CREATE DATABASE ${name}`));
    const own = loadSettings({
      ...process.env,
      BASE_URL: 'http://127.0.0.1',
      ENCRYPTION_KEYS: encryptionKeys,
      ...databasesOf(name),
      CLICKHOUSE_DATABASE: name,
      STREAM_PREFIX: upgraded.prefix,
    });
    const clickhouse = createClickHouse(clickhouseSettings(own));
    const app = createPostgres({ url: own.databaseAppUrl, poolSize: 2 });
    try {
      await restoreBackup(own, earlier, manifest);
      await migrateAll(own);
      const left = await migrateAll(own);
      expect([...left.postgres, ...left.clickhouse], 'one run is enough').toEqual([]);
      const upgradedApi = await openApi(kit, { postgres: app, clickhouse });
      const scopes = ['campaigns:read', 'customers:read', 'conversions:read', 'commerce:read'] as const;
      const { headers } = await buildApiKey(app, recorded.profile_id, { scopes, requestsPerMinute: 600_000 });
      const wrong: string[] = [];
      for (const url of questions(version)) {
        const answer = await upgradedApi.fastify.inject({ method: 'GET', url, headers: { ...headers } });
        wrong.push(...differences(recorded.answers[url], answer.json().data ?? answer.body, url));
      }
      await upgradedApi.close();
      expect(wrong).toEqual([]);
    } finally {
      await app.close();
      await createClickHouse({ ...clickhouseSettings(own), database: 'default' }).command(
        raw(`DROP DATABASE IF EXISTS ${name} SYNC`),
        {},
      );
      await clickhouse.close();
      await upgraded.destroy();
      await vi.waitFor(() => kit.owner.unbound.query(sql.raw(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)), {
        timeout: 20_000,
        interval: 200,
      });
    }
  },
);

const emails = async (app: Postgres, profileId: string) => {
  const { rows } = await app
    .forProfile(profileId)
    .transaction((tx) =>
      sql<{ value: string }>`SELECT value FROM identifiers WHERE kind = 'email' ORDER BY value`.execute(tx),
    );
  return rows.map(({ value }) => value);
};
