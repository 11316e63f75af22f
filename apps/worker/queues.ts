import { firstPayments } from '@tributary/domain/payments/room.ts';
import type { QueueHandlers } from '@tributary/work';
import type { Work } from './jobs.ts';

/** Every queue and its handler. A queue without one does not compile, nor does a handler of no queue. */
export function queueHandlers({ app }: Work): QueueHandlers {
  return {
    firstPayments: firstPayments(app),
  };
}
