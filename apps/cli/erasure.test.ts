import { execFile } from 'node:child_process';
import { createPublicKey, verify } from 'node:crypto';
import { join } from 'node:path';
import { createPostgres } from '@tributary/postgres';
import {
  buildApiKey,
  buildProfile,
  openApi,
  openTestkit,
  openWarehouse,
  type TestApi,
  type Testkit,
} from '@tributary/testkit';
import { openPrivateStream, type PrivateStream } from '@tributary/testkit/stream';
import { createVault, ensureKeys, KeyRing, loadKeys } from '@tributary/vault';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';

// Each run of the command is a separate process.

let kit: Testkit;
let api: TestApi;
let log: PrivateStream;
let warehouse: Awaited<ReturnType<typeof openWarehouse>>;
const masterKey = Buffer.alloc(32, 1);
beforeAll(async () => {
  kit = await openTestkit();
  [log, warehouse] = await Promise.all([openPrivateStream(), openWarehouse(kit)]);
  const master = createVault([{ id: 'test', bytes: masterKey }]);
  const operator = createPostgres({ url: kit.database.ownerUrl, poolSize: 1 });
  await ensureKeys(operator.unbound, master, kit.clock.now());
  await operator.close();
  const ring = new KeyRing(master, () => loadKeys(kit.app.unbound));
  await ring.refresh();
  api = await openApi(kit, { tombstoneKey: () => ring.eldest('tombstone').bytes });
});
afterAll(async () => {
  await api.close();
  await warehouse.drop();
  await log.destroy();
  await kit.close();
});

const run = (...args: string[]) =>
  new Promise<{ code: number; out: string; error: string }>((resolve) => {
    const env = {
      ...process.env,
      DATABASE_APP_URL: kit.database.appUrl,
      DATABASE_OWNER_URL: kit.database.ownerUrl,
      DATABASE_SYSTEM_URL: kit.database.systemUrl,
      CLICKHOUSE_DATABASE: kit.clickhouseDatabase,
      STREAM_PREFIX: log.prefix,
      REDIS_PREFIX: kit.redisPrefix,
      ENCRYPTION_KEYS: `test:${masterKey.toString('base64')}`,
      BASE_URL: 'http://127.0.0.1',
      BACKUP_RETENTION_DAYS: '14',
    };
    const command = [join(import.meta.dirname, 'main.ts'), 'erasure', 'verify', ...args];
    execFile(process.execPath, command, { env }, (error, out, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, out, error: stderr }),
    );
  });

test('a search without remains is certified and signed; one with remains exits with 1', async () => {
  const { id: profileId } = await buildProfile(kit.app);
  const { headers } = await buildApiKey(kit.app, profileId, { scopes: ['attribution:write'] });
  const post = async (url: string, payload: object) =>
    (await api.fastify.inject({ method: 'POST', url, headers: { ...headers }, payload })).json().data;
  await post('/api/v1/customers', { rows: [{ email: 'ana@example.cl' }, { email: 'eva@example.cl' }] });
  const { erasure_id } = await post('/api/v1/customers/erasures', { request_ref: 'r1', email: 'ana@example.cl' });

  const clean = await run(erasure_id, '--profile', profileId);
  expect(clean.code, clean.error).toBe(0);
  const { certificate, signature, public_key } = JSON.parse(clean.out);
  expect(certificate).toMatchObject({
    erasure_id,
    status: 'done',
    found: 0,
    rows_cleared: { customers: 1, identifiers: 1 },
  });
  expect(certificate.stores.map(({ store }: { store: string }) => store)).toEqual(
    expect.arrayContaining(['postgres customers', 'clickhouse visits', 'dead letters, opened', 'redis']),
  );
  expect(Date.parse(certificate.backups_expire_at)).toBe(kit.clock.now().getTime() + 14 * 86_400_000);
  const key = createPublicKey({ key: Buffer.from(public_key, 'base64'), format: 'der', type: 'spki' });
  expect(verify(null, Buffer.from(JSON.stringify(certificate)), key, Buffer.from(signature, 'base64'))).toBe(true);
  expect(clean.out).not.toContain('example.cl');

  await kit.app
    .forProfile(profileId)
    .transaction((tx) => sql`UPDATE customers SET first_name = 'ana@example.cl' WHERE erased_at IS NULL`.execute(tx));
  const found = await run(erasure_id, '--profile', profileId);
  expect([found.code, JSON.parse(found.out).certificate.found]).toEqual([1, 1]);
  const unknownErasure = await run('018f0000-0000-7000-8000-000000000000', '--profile', profileId);
  expect([unknownErasure.code, unknownErasure.error]).toEqual([1, expect.stringMatching(/no such erasure/)]);
});
