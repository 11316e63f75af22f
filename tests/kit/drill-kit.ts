import { randomBytes } from 'node:crypto';
import { FakeClock } from '@tributary/clock';
import type { EngineName } from '@tributary/engines';
import { createPostgres } from '@tributary/postgres';
import { type DrillEngines, openDrillEngines } from './drill-engines.ts';
import type { Testkit } from './testkit.ts';

/** What a test file has, on engines of a drill's own. */
export async function openDrillKit(
  set: string,
  names: readonly EngineName[],
): Promise<Testkit & { readonly engines: DrillEngines }> {
  const engines = await openDrillEngines(set, names);
  const name = `drill_${randomBytes(6).toString('hex')}`;
  const app = createPostgres({ url: engines.database.appUrl, poolSize: 16 });
  const system = createPostgres({ url: engines.database.systemUrl, poolSize: 4 });
  const owner = createPostgres({ url: engines.database.ownerUrl, poolSize: 1 });
  return {
    engines,
    database: engines.database,
    homeDatabase: undefined,
    app,
    system,
    owner,
    clock: new FakeClock('2026-06-15T12:00:00.000Z'),
    clickhouse: engines.clickhouse,
    clickhouseUrl: engines.clickhouseUrl,
    clickhouseDatabase: name,
    natsUrl: engines.natsUrl,
    streamPrefix: name,
    redisUrl: engines.redisUrl,
    redisPrefix: name,
    async close() {
      await Promise.all([app.close(), system.close(), owner.close()]);
      await engines.close();
    },
  };
}
