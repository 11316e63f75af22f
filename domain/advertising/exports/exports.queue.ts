import type { Item, QueueHandler } from '@tributary/work';
import { sql } from 'kysely';
import { runBatch } from './run-batch.ts';
import type { ExportStores } from './services.ts';
import { listDue, type WaitingEvent } from './store.ts';

export interface ExportItem extends Item {
  readonly event: WaitingEvent;
}

/** Exports outcomes to ad platforms. After a crash a batch is sent again under the same event ids. */
export const exports = (stores: ExportStores): QueueHandler<ExportItem> => ({
  async load(profileId, limit) {
    const rows = await stores.app.forProfile(profileId).transaction((tx) => listDue(tx, profileId, limit));
    // Another target of the profile may be due as well.
    return {
      items: rows.map((event) => ({ id: `${event.targetId}/${event.outcomeId}`, event })),
      isMore: rows.length > 0,
    };
  },

  work: ({ key: profileId, items, renewLease, signal }) =>
    runBatch(
      stores,
      profileId,
      items.map(({ event }) => event),
      renewLease,
      signal,
    ),

  async park(tx, profileId, { event: { targetId, outcomeId } }) {
    await sql`
      UPDATE export_events SET status = 'refused', reason = 'set_aside'
      WHERE profile_id = ${profileId} AND target_id = ${targetId} AND outcome_id = ${outcomeId}`.execute(tx);
  },

  async unpark(tx, profileId, ids) {
    const pairs = ids.map((id) => id.split('/'));
    await sql`
      UPDATE export_events SET status = 'waiting', reason = NULL, due_at = now()
      WHERE profile_id = ${profileId} AND (target_id, outcome_id) IN (
        SELECT * FROM unnest(${pairs.map(([target]) => target)}::uuid[], ${pairs.map(([, outcome]) => outcome)}::uuid[]))`.execute(
      tx,
    );
  },
});
