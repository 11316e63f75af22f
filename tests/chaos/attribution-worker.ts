import { setTimeout as sleep } from 'node:timers/promises';
import { createClickHouse } from '@tributary/clickhouse';
import { startAttribution } from '@tributary/domain/attribution/room.ts';
import { settleCustomers } from '@tributary/domain/payments/room.ts';
import { createPostgres } from '@tributary/postgres';

/** The attribution part of a worker, to be killed. What it could not do because an engine was away it tries again. */
const [appUrl = '', systemUrl = '', clickhouseUrl = '', database = ''] = process.argv.slice(2);
const app = createPostgres({ url: appUrl, poolSize: 4 });
const system = createPostgres({ url: systemUrl, poolSize: 2 });
const clickhouse = createClickHouse({ url: clickhouseUrl, database, requestTimeoutMs: 60_000 });
const quiet = () => {};
// Small batches, so that a kill finds one half done.
startAttribution({
  app,
  system,
  clickhouse,
  now: () => new Date(),
  onError: quiet,
  batchSize: 200,
  idleMs: 50,
  leaseSeconds: 3,
});
process.send?.('ready');
// One after another, as the jobs of a real worker: begun by the clock, they would pile up behind a changed definition.
for (const { signal } = new AbortController(); ; await sleep(500))
  await settleCustomers(app, system, signal).catch(quiet);
