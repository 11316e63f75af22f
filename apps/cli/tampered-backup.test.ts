import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { clickhouseSettings, createClickHouse, holdsRows, raw } from '@tributary/clickhouse';
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
/** The backup of an earlier version, in a folder that a test may break. */
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

/** What a restore answers, and that it left every engine as it was: empty. */
async function refusal(from = folder): Promise<string> {
  const answer = await readManifest(from, 'latest')
    .then((read) => restoreBackup(settings(), from, read))
    .then(
      () => 'restored',
      (error: unknown) => String(error),
    );
  expect(await hasTables(of('OWNER'))).toBe(false);
  expect(await holdsRows(clickhouseSettings(settings()))).toBe(false);
  expect((await log.stream.fill()).bytes).toBe(0);
  return answer;
}

const at = (file: string) => join(root, file);
const filesNow = () => [manifest.postgres, manifest.log, manifest.keys, ...manifest.clickhouse.partitions];

test('refuses a file that was cut, changed in one bit, lengthened, emptied or removed, and writes nothing', async () => {
  const changes: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
    cut: (bytes) => bytes.subarray(0, bytes.length >> 1),
    'cut by one byte': (bytes) => bytes.subarray(0, -1),
    'one bit': (bytes) => Buffer.from(bytes).fill((bytes.at(-20) as number) ^ 1, bytes.length - 20, bytes.length - 19),
    'one bit of its head': (bytes) => Buffer.from(bytes).fill((bytes[25] as number) ^ 1, 25, 26),
    lengthened: (bytes) => Buffer.concat([bytes, Buffer.alloc(40)]),
    'twice itself': (bytes) => Buffer.concat([bytes, bytes]),
    emptied: () => Buffer.alloc(0),
    'not sealed': () => Buffer.from('SELECT 1'),
  };
  for (const { file } of filesNow().slice(0, 4)) {
    const whole = await readFile(at(file));
    for (const [what, change] of Object.entries(changes)) {
      await writeFile(at(file), change(whole));
      expect(await refusal(), `${file}: ${what}`).toMatch(/does not open|ends before its first frame/);
    }
    await rm(at(file));
    expect(await refusal(), `${file}: removed`).toContain(`There is no file "${file}" there.`);
    await writeFile(at(file), whole);
  }
});

test('refuses files that changed places, files of another backup, and a description under another name', async () => {
  const [one, other] = [manifest.postgres.file, manifest.log.file];
  await rename(at(one), at('kept'));
  await rename(at(other), at(one));
  await rename(at('kept'), at(other));
  expect(await refusal()).toContain('does not open');

  await cp(folderOf('v0.1.0'), root, { recursive: true });
  const [foreign = ''] = (await readdir(join(folderOf('before-0.1.0'), 'files'))).filter((file) =>
    /postgres/.test(file),
  );
  await cp(join(folderOf('before-0.1.0'), 'files', foreign), at(one));
  expect(await refusal()).toContain('does not open');

  await cp(folderOf('v0.1.0'), root, { recursive: true });
  await cp(at(`backups/${manifest.id}`), at('backups/99991231T000000Z-aaaaaa'));
  expect(await refusal()).toContain('does not open');
});

test('refuses a backup that was made under another key, although it is whole', async () => {
  const others = [{ id: 'u1', bytes: Buffer.alloc(32, 9) }];
  const forged = openBackupFolder(openStorage(root, storage), others);
  await forged.write(`backups/99991231T000000Z-bbbbbb`, JSON.stringify({ ...manifest, id: '99991231T000000Z-bbbbbb' }));
  expect(await refusal()).toContain('does not open');
});

test('refuses a description that leads out of the folder, names what is no table, or is none', async () => {
  const [partition] = manifest.clickhouse.partitions;
  const inPartition = (more: object) => ({
    ...manifest,
    clickhouse: { ...manifest.clickhouse, partitions: [{ ...partition, ...more }] },
  });
  const { log: _log, ...without } = manifest;
  const descriptions: Readonly<Record<string, readonly [unknown, string]>> = {
    'above the folder': [
      { ...manifest, postgres: { ...manifest.postgres, file: '../../etc/passwd' } },
      'postgres.file',
    ],
    'within a name': [{ ...manifest, log: { ...manifest.log, file: 'files/../../x' } }, 'log.file'],
    absolute: [{ ...manifest, keys: { ...manifest.keys, file: '/etc/passwd' } }, 'keys.file'],
    'of another folder': [{ ...manifest, keys: { ...manifest.keys, file: 'backups/x' } }, 'keys.file'],
    'with a NUL': [inPartition({ file: 'files/a\0b' }), 'clickhouse.partitions.0.file'],
    'a statement': [inPartition({ table: 'visits; DROP TABLE visits' }), 'clickhouse.partitions.0.table'],
    'no hash': [inPartition({ hash: '1e9' }), 'clickhouse.partitions.0.hash'],
    'without a log': [without, 'log'],
    'a list': [[], 'it is no JSON'],
    'a text': ['x', 'it is no JSON'],
  };
  for (const [what, [description, place]] of Object.entries(descriptions)) {
    await folder.write(`backups/${manifest.id}`, JSON.stringify(description));
    expect(await refusal(), what).toContain(`The description of the backup "${manifest.id}" cannot be used: ${place}`);
  }
  await folder.write(`backups/${manifest.id}`, '{"id":');
  expect(await refusal()).toContain('cannot be used: it is no JSON');
  await folder.write(`backups/${manifest.id}`, JSON.stringify({ ...manifest, id: 'another' }));
  expect(await refusal()).toContain('cannot be used: id');
});

test('refuses a backup of a later version before anything is written', async () => {
  const { migrations, partitions } = manifest.clickhouse;
  const clickhouse = { migrations: [...migrations, '9999_later'], partitions };
  await folder.write(`backups/${manifest.id}`, JSON.stringify({ ...manifest, clickhouse }));
  expect(await refusal()).toContain('is of a later version of Tributary: it has 9999_later');
});

test('refuses a text that unpacks to more than memory should hold', async () => {
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
  expect(await refusal()).toContain('is larger than any text of a backup');
  expect(process.memoryUsage.rss() - before).toBeLessThan(300 << 20);
});
