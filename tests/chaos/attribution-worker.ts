import { createClickHouse } from '@tributary/clickhouse';
import { firstPayments } from '@tributary/domain/commerce/payments/module.ts';
import { attribution } from '@tributary/domain/measurement/attribution/module.ts';
import { clickhouseAt, ledgerUrls, openLedger } from '@tributary/testkit';
import { homeShard } from '@tributary/vocabulary';
import { startQueueWorker } from '@tributary/work';
import { blame } from '@tributary/worker/classify-failure.ts';

/** The attribution queues of a worker, in a process that a drill can kill. Retries work that failed because an engine was unavailable. */
const [appUrl = '', systemUrl = '', clickhouseUrl = '', database = '', shard = homeShard] = process.argv.slice(2);
const app = openLedger(appUrl, 4);
const system = openLedger(systemUrl, 2, shard);
const clickhouse = createClickHouse({ ...clickhouseAt(clickhouseUrl), database, requestTimeoutMs: 60_000 });
const ignoreFailure = () => {};
// Small batches, so that a kill interrupts one.
startQueueWorker({
  system,
  systemUrl: ledgerUrls(systemUrl).get(shard) as string,
  handlers: { attribution: attribution({ app, clickhouse, now: () => new Date() }), firstPayments: firstPayments(app) },
  numbers: { batchSize: 200, leaseSeconds: 3, paceMs: 50 },
  blame,
  onFailure: ignoreFailure,
});
process.send?.('ready');
