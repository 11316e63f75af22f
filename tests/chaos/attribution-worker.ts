import { createClickHouse } from '@tributary/clickhouse';
import { firstPayments } from '@tributary/domain/commerce/payments/module.ts';
import { attribution } from '@tributary/domain/measurement/attribution/module.ts';
import { clickhouseAt, ledgerUrls, openLedger } from '@tributary/testkit';
import { homeShard } from '@tributary/vocabulary';
import { startQueueWorker } from '@tributary/work';
import { blame } from '@tributary/worker/classify-failure.ts';

/** The attribution part of a worker, to be killed. What it could not do because an engine was away it tries again. */
const [appUrl = '', systemUrl = '', clickhouseUrl = '', database = '', here = homeShard] = process.argv.slice(2);
const app = openLedger(appUrl, 4);
const system = openLedger(systemUrl, 2, here);
const clickhouse = createClickHouse({ ...clickhouseAt(clickhouseUrl), database, requestTimeoutMs: 60_000 });
const quiet = () => {};
// Small batches, so that a kill finds one half done.
startQueueWorker({
  system,
  systemUrl: ledgerUrls(systemUrl).get(here) as string,
  handlers: { attribution: attribution({ app, clickhouse, now: () => new Date() }), firstPayments: firstPayments(app) },
  numbers: { batchSize: 200, leaseSeconds: 3, paceMs: 50 },
  blame,
  onFailure: quiet,
});
process.send?.('ready');
