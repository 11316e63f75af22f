import type { ClickHouse } from '@tributary/clickhouse';
import { compareLedger } from '@tributary/domain/attribution';
import { announce } from '@tributary/domain/events';
import type { Postgres } from '@tributary/postgres';
import { limits } from '@tributary/vocabulary';
import type { QueueHandler } from '@tributary/work';
import { v5 as uuidFrom } from 'uuid';
import { listQueued, saveComparison, setState } from './store.ts';

/** Compares the days that were asked for, one run after another, and tells whoever subscribed where something differs. */
export const reconciliations = (
  { app, clickhouse }: { readonly app: Postgres; readonly clickhouse: ClickHouse },
  now: () => Date,
): QueueHandler => ({
  async take(profileId, limit) {
    const queued = await app
      .forProfile(profileId)
      .transaction((tx) => listQueued(tx, profileId, limit), { readOnly: true });
    return { items: queued.map(({ id }) => ({ id })), isMore: queued.length === limit };
  },

  async work({ key: profileId, items, signal }) {
    const ledger = app.forProfile(profileId);
    const queued = await ledger.transaction((tx) => listQueued(tx, profileId, items.length), { readOnly: true });
    for (const { id, dateFrom, dateTo } of queued) {
      const asked = { profileId, dateFrom, dateTo, most: limits.reconciliation.mostDifferences, now: now() };
      const found = await compareLedger({ app, clickhouse }, asked, signal);
      const at = now();
      await ledger.transaction(async (tx) => {
        await saveComparison(tx, profileId, id, found, at);
        const differences = found.days.reduce((sum, day) => sum + day.differences, 0);
        if (differences > 0)
          await announce(tx, [
            {
              // The same for the same run, should a worker die after it.
              id: uuidFrom('reconciliation.failed', id),
              type: 'reconciliation.failed',
              data: { profile_id: profileId, reconciliation_id: id, date_from: dateFrom, date_to: dateTo, differences },
              occurredAt: at,
            },
          ]);
      });
    }
  },

  setAside: (tx, profileId, { id }) => setState(tx, profileId, id, 'failed'),
  putBack: async (tx, profileId, ids) => {
    for (const id of ids) await setState(tx, profileId, id, 'queued');
  },
});
