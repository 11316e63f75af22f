import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildProfile, openTestWithClickHouse } from '@tributary/testkit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';

const { kit } = await openTestWithClickHouse();

const replay = async (...args: string[]) => {
  const command = [join(import.meta.dirname, 'main.ts'), 'replay', ...args, '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, command, {
    env: {
      ...process.env,
      BASE_URL: 'http://127.0.0.1',
      DATABASE_APP_URL: kit.database.appUrl,
      DATABASE_OWNER_URL: kit.database.ownerUrl,
      DATABASE_SYSTEM_URL: kit.database.systemUrl,
      CLICKHOUSE_URL: kit.clickhouseUrl,
      CLICKHOUSE_DATABASE: kit.clickhouseDatabase,
      ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 1).toString('base64')}`,
    },
  });
  return JSON.parse(stdout);
};

test('replay --new-rules replays every profile that waits for it, once', async () => {
  for (let n = 0; n < 2; n += 1) await buildProfile(kit.app);
  await kit.owner.unbound.query(sql`SELECT rules_changed()`);
  expect(await replay('--new-rules')).toEqual({ profiles: 2, state: 'done' });
  expect(await replay('--new-rules')).toEqual({ profiles: 0, state: 'done' });
});
