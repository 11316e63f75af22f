import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { clickhouseSettings, createClickHouse, hasRows, raw } from '@tributary/clickhouse';
import { loadSettings } from '@tributary/config';
import { type BackupFolder, configuredBackupFolder, openBackupFolder } from '@tributary/platform';
import { hasTables } from '@tributary/postgres';
import { openStorage } from '@tributary/storage';
import { openKit } from '@tributary/testkit';
import { openPrivateStream } from '@tributary/testkit/stream';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { backupKeys, encryptionKeys, folderOf } from '../../tests/upgrade/versions.ts';
import { type Manifest, readManifest } from './backup/manifest.ts';
import { restoreBackup } from './backup/restore-backup.ts';

const kit = await openKit();
const log = await openPrivateStream();
const name = `test_${randomBytes(6).toString('hex')}`;
await kit.owner.unbound.query(sql.raw(`CREATE DATABASE ${name}`));
const of = (role: string) =>
  Object.assign(new URL(process.env[`DATABASE_${role}_URL`] as string), { pathname: `/${name}` }).href;
const storage = { s3Endpoint: undefined, s3Region: '', s3AccessKeyId: undefined, s3SecretAccessKey: undefined };

let root: string;
/** A copy of a backup of an earlier version, which tests modify. */
let folder: BackupFolder;
let manifest: Manifest;
const settings = () =>
  loadSettings({
    ...process.env,
    BASE_URL: 'http://127.0.0.1',
    ENCRYPTION_KEYS: encryptionKeys,
    BACKUP_FOLDER: root,
    BACKUP_KEYS: backupKeys,
    DATABASE_OWNER_URL: of('OWNER'),
    DATABASE_APP_URL: of('APP'),
    DATABASE_SYSTEM_URL: of('SYSTEM'),
    DATABASE_BACKUP_URL: of('BACKUP'),
    CLICKHOUSE_DATABASE: name,
    STREAM_PREFIX: log.prefix,
  });

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'tampered-'));
  await cp(folderOf('v0.1.0'), root, { recursive: true });
  folder = configuredBackupFolder(settings());
  manifest = await readManifest(folder, 'latest');
});
afterEach(() => rm(root, { recursive: true }));
afterAll(async () => {
  await log.destroy();
  const columns = createClickHouse({ ...clickhouseSettings(settings()), database: 'default' });
  await columns.command(raw(`DROP DATABASE IF EXISTS ${name} SYNC`), {});
  await columns.close();
  await vi.waitFor(() => kit.owner.unbound.query(sql.raw(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)), {
    timeout: 20_000,
    interval: 200,
  });
});

/** The error of a restore. Checks that the restore left every engine empty. */
async function restoreError(from = folder): Promise<string> {
  const answer = await readManifest(from, 'latest')
    .then((read) => restoreBackup(settings(), from, read))
    .then(
      () => 'restored',
      (error: unknown) => String(error),
    );
  expect(await hasTables(of('OWNER'))).toBe(false);
  expect(await hasRows(clickhouseSettings(settings()))).toBe(false);
  expect((await log.stream.fill()).bytes).toBe(0);
  return answer;
}

const at = (file: string) => join(root, file);
const filesNow = () => [manifest.postgres, manifest.log, manifest.keys, ...manifest.clickhouse.partitions];

test('rejects a truncated, modified, extended, empty or missing file without writing anything', async () => {
  const changes: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
    cut: (bytes) => bytes.subarray(0, bytes.length >> 1),
    'cut by one byte': (bytes) => bytes.subarray(0, -1),
    'one bit': (bytes) => Buffer.from(bytes).fill((bytes.at(-20) as number) ^ 1, bytes.length - 20, bytes.length - 19),
    'one bit of the header': (bytes) => Buffer.from(bytes).fill((bytes[25] as number) ^ 1, 25, 26),
    lengthened: (bytes) => Buffer.concat([bytes, Buffer.alloc(40)]),
    doubled: (bytes) => Buffer.concat([bytes, bytes]),
    emptied: () => Buffer.alloc(0),
    'not encrypted': () => Buffer.from('SELECT 1'),
  };
  for (const { file } of filesNow().slice(0, 4)) {
    const whole = await readFile(at(file));
    for (const [what, change] of Object.entries(changes)) {
      await writeFile(at(file), change(whole));
      expect(await restoreError(), `${file}: ${what}`).toMatch(/does not open|ends before its first frame/);
    }
    await rm(at(file));
    expect(await restoreError(), `${file}: removed`).toContain(`There is no file "${file}" there.`);
    await writeFile(at(file), whole);
  }
});

test('rejects swapped files, files of another backup and a renamed manifest', async () => {
  const [one, other] = [manifest.postgres.file, manifest.log.file];
  await rename(at(one), at('kept'));
  await rename(at(other), at(one));
  await rename(at('kept'), at(other));
  expect(await restoreError()).toContain('does not open');

  await cp(folderOf('v0.1.0'), root, { recursive: true });
  const [foreign = ''] = (await readdir(join(folderOf('before-0.1.0'), 'files'))).filter((file) =>
    /postgres/.test(file),
  );
  await cp(join(folderOf('before-0.1.0'), 'files', foreign), at(one));
  expect(await restoreError()).toContain('does not open');

  await cp(folderOf('v0.1.0'), root, { recursive: true });
  await cp(at(`backups/${manifest.id}`), at('backups/99991231T000000Z-aaaaaa'));
  expect(await restoreError()).toContain('does not open');
});

test('rejects an intact backup that is encrypted with another key', async () => {
  const otherKeys = [{ id: 'u1', bytes: Buffer.alloc(32, 9) }];
  const forged = openBackupFolder(openStorage(root, storage), otherKeys);
  await forged.write(`backups/99991231T000000Z-bbbbbb`, JSON.stringify({ ...manifest, id: '99991231T000000Z-bbbbbb' }));
  expect(await restoreError()).toContain('does not open');
});

test('rejects a manifest with paths outside the folder, invalid table names or invalid JSON', async () => {
  const [partition] = manifest.clickhouse.partitions;
  const inPartition = (more: object) => ({
    ...manifest,
    clickhouse: { ...manifest.clickhouse, partitions: [{ ...partition, ...more }] },
  });
  const { log: _log, ...without } = manifest;
  const manifests: Readonly<Record<string, readonly [unknown, string]>> = {
    'above the folder': [
      { ...manifest, postgres: { ...manifest.postgres, file: '../../etc/passwd' } },
      'postgres.file',
    ],
    'parent folder inside the name': [{ ...manifest, log: { ...manifest.log, file: 'files/../../x' } }, 'log.file'],
    absolute: [{ ...manifest, keys: { ...manifest.keys, file: '/etc/passwd' } }, 'keys.file'],
    'in another folder': [{ ...manifest, keys: { ...manifest.keys, file: 'backups/x' } }, 'keys.file'],
    'with a NUL': [inPartition({ file: 'files/a\0b' }), 'clickhouse.partitions.0.file'],
    'SQL in a table name': [inPartition({ table: 'visits; DROP TABLE visits' }), 'clickhouse.partitions.0.table'],
    'an invalid hash': [inPartition({ hash: '1e9' }), 'clickhouse.partitions.0.hash'],
    'without a log': [without, 'log'],
    'an array': [[], 'the file is not JSON'],
    'a string': ['x', 'the file is not JSON'],
  };
  for (const [what, [content, field]] of Object.entries(manifests)) {
    await folder.write(`backups/${manifest.id}`, JSON.stringify(content));
    expect(await restoreError(), what).toContain(`The manifest of the backup "${manifest.id}" is invalid: ${field}`);
  }
  await folder.write(`backups/${manifest.id}`, '{"id":');
  expect(await restoreError()).toContain('is invalid: the file is not JSON');
  await folder.write(`backups/${manifest.id}`, JSON.stringify({ ...manifest, id: 'another' }));
  expect(await restoreError()).toContain('is invalid: id');
});

test('rejects a backup of a later version without writing anything', async () => {
  const { migrations, partitions } = manifest.clickhouse;
  const clickhouse = { migrations: [...migrations, '9999_later'], partitions };
  await folder.write(`backups/${manifest.id}`, JSON.stringify({ ...manifest, clickhouse }));
  expect(await restoreError()).toContain('is of a later version of Tributary: it has 9999_later');
});

test('rejects a text file that decompresses to more than its size limit', async () => {
  const zeros = Buffer.alloc(1 << 20, 48);
  const huge = Readable.from(
    (function* () {
      for (let count = 0; count < 400; count += 1) yield zeros;
    })(),
    { objectMode: false },
  );
  const keys = await folder.write(manifest.keys.file, huge);
  await folder.write(`backups/${manifest.id}`, JSON.stringify({ ...manifest, keys }));
  const before = process.memoryUsage.rss();
  expect(await restoreError()).toContain('is too large for a text file of a backup');
  expect(process.memoryUsage.rss() - before).toBeLessThan(300 << 20);
});
