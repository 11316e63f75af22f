import { deleteProfileRows } from '@tributary/clickhouse';
import { adActions } from '@tributary/domain/advertising/ad-operations/module.ts';
import { delivery } from '@tributary/domain/advertising/campaigns/module.ts';
import { listFirstSyncs, syncs } from '@tributary/domain/advertising/connections/module.ts';
import { exports as exportsQueue, reopenExports } from '@tributary/domain/advertising/exports/module.ts';
import { firstPayments } from '@tributary/domain/commerce/payments/module.ts';
import { sales } from '@tributary/domain/commerce/sales/module.ts';
import { attribution } from '@tributary/domain/measurement/attribution/module.ts';
import { reconciliations } from '@tributary/domain/measurement/reconciliation/module.ts';
import { scores } from '@tributary/domain/measurement/top-performers/module.ts';
import { alertMails } from '@tributary/domain/notifications/alerts/module.ts';
import { reportMails } from '@tributary/domain/notifications/report-mails/module.ts';
import { webhooks } from '@tributary/domain/notifications/webhooks/module.ts';
import { erasures } from '@tributary/domain/privacy/erasures/module.ts';
import { tenantDeletions } from '@tributary/domain/tenancy/tenants/module.ts';
import { deleteDeadLettersOf, visitsConsumer } from '@tributary/domain/traffic/ingestion/module.ts';
import type { QueueHandlers } from '@tributary/work';
import type { Work } from './jobs.ts';

/** Every queue and its handler. A missing handler, or one without a queue, does not compile. */
export function queueHandlers(work: Work): QueueHandlers {
  const { app, system, quick, patient, clickhouse, stream, ingestion, now } = work;
  return {
    attribution: attribution({ app, clickhouse: patient, now }),
    delivery: delivery({ app, clickhouse: quick }),
    firstPayments: firstPayments(app),
    sales: sales({ app, listFirstSyncs, reopenExports, now }),
    erasures: erasures({
      app,
      clickhouse,
      stream,
      consumer: visitsConsumer,
      opening: ingestion,
      keepNote: work.notes?.erased,
      now,
    }),
    webhooks: webhooks({ app, system, ...work.deliveries, now, random: Math.random }),
    adActions: adActions({ app, ...work.syncing, now }),
    syncs: syncs({ app, system, ...work.syncing, now, random: Math.random }),
    exports: exportsQueue({ app, ...work.syncing, gate: work.deliveries.gate, now }),
    reconciliations: reconciliations({ app, clickhouse: patient, ...work.syncing, now }),
    scores: scores({ app, clickhouse: patient }, now),
    reportMails: reportMails({ app, clickhouse: quick, ...work.mailing, now }),
    alertMails: alertMails({ app, ...work.mailing, now }),
    tenantDeletions: tenantDeletions({
      app,
      system,
      log: {
        end: () => stream.end(),
        consumedThrough: () => stream.consumedThrough(visitsConsumer),
      },
      forgetColumns: (profileId) => deleteProfileRows(clickhouse, profileId),
      forgetLetters: (profileId, signal) => deleteDeadLettersOf(stream, profileId, signal),
      keepNote: work.notes?.deleted,
      now,
    }),
  };
}
