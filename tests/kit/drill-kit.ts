import { randomBytes } from 'node:crypto';
import { FakeClock } from '@tributary/clock';
import type { EngineName } from '@tributary/engines';
import { type DrillEngines, openDrillEngines } from './drill-engines.ts';
import { isLedgerSplit, openLedger } from './shards.ts';
import type { Testkit } from './testkit.ts';

/** Opens the usual test kit, on separate engines. */
export async function openDrillKit(
  set: string,
  names: readonly EngineName[],
  isSplit = isLedgerSplit(),
): Promise<Testkit & { readonly engines: DrillEngines }> {
  const engines = await openDrillEngines(set, names, isSplit);
  const name = `drill_${randomBytes(6).toString('hex')}`;
  const app = openLedger(engines.database.appUrl, 16);
  const system = openLedger(engines.database.systemUrl, 4);
  const owner = openLedger(engines.database.ownerUrl, 1);
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
