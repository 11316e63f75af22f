import type { ClickHouse } from '@tributary/clickhouse';
import type { ConnectionServices } from '@tributary/domain/advertising/connections';
import { announce } from '@tributary/domain/tenancy/events';
import type { Postgres } from '@tributary/postgres';
import { limits } from '@tributary/vocabulary';
import type { QueueHandler } from '@tributary/work';
import { v5 as uuidFrom } from 'uuid';
import { compareBooks } from './compare-books.ts';
import { listExplained, listQueued, saveFound, setState } from './store.ts';

export interface ReconciliationStores extends ConnectionServices {
  readonly app: Postgres;
  readonly clickhouse: ClickHouse;
  readonly now: () => Date;
}

/** Runs the queued comparisons one after another, and publishes an event if something differs. */
export const reconciliations = (stores: ReconciliationStores): QueueHandler => ({
  async load(profileId, limit) {
    const queued = await stores.app
      .forProfile(profileId)
      .transaction((tx) => listQueued(tx, profileId, limit), { readOnly: true });
    return { items: queued.map(({ id }) => ({ id })), isMore: queued.length === limit };
  },

  async work({ key: profileId, items, signal }) {
    const { app, now } = stores;
    const ledger = app.forProfile(profileId);
    const queued = await ledger.transaction((tx) => listQueued(tx, profileId, items.length), { readOnly: true });
    for (const { id, dateFrom, dateTo, books } of queued) {
      const explained = await ledger.transaction(
        (tx) => listExplained(tx, profileId, limits.reconciliation.mostDifferences),
        { readOnly: true },
      );
      const span = { profileId, dateFrom, dateTo, now: now() };
      const found = await compareBooks({ ...stores, ledger }, span, books, explained, signal);
      const at = now();
      await ledger.transaction(async (tx) => {
        await saveFound(tx, profileId, id, found, at);
        const differences = found.books.reduce((sum, day) => sum + day.differences, 0);
        if (differences > 0)
          await announce(tx, [
            {
              // Deterministic per run, so that a repeated run after a crash publishes no second event.
              id: uuidFrom('reconciliation.failed', id),
              type: 'reconciliation.failed',
              data: { profile_id: profileId, reconciliation_id: id, date_from: dateFrom, date_to: dateTo, differences },
              occurredAt: at,
            },
          ]);
      });
    }
  },

  park: (tx, profileId, { id }) => setState(tx, profileId, id, 'failed'),
  unpark: async (tx, profileId, ids) => {
    for (const id of ids) await setState(tx, profileId, id, 'queued');
  },
});
