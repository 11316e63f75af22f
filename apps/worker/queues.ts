import { attribution } from '@tributary/domain/attribution/room.ts';
import { delivery } from '@tributary/domain/campaigns/room.ts';
import { erasures } from '@tributary/domain/erasures/room.ts';
import { firstPayments } from '@tributary/domain/payments/room.ts';
import { scores } from '@tributary/domain/top-performers/room.ts';
import type { QueueHandlers } from '@tributary/work';
import { visitsConsumer } from './consume-visits.ts';
import type { Work } from './jobs.ts';

/** Every queue and its handler. A queue without one does not compile, nor does a handler of no queue. */
export function queueHandlers({ app, quick, patient, clickhouse, stream, ingestion, now }: Work): QueueHandlers {
  return {
    attribution: attribution({ app, clickhouse: patient, now }),
    delivery: delivery({ app, clickhouse: quick }),
    firstPayments: firstPayments(app),
    erasures: erasures({ app, clickhouse, stream, consumer: visitsConsumer, opening: ingestion, now }),
    scores: scores({ app, clickhouse: patient }, now),
  };
}
