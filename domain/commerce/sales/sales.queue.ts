import {
  continueRescan,
  type DirtySale,
  endRescan,
  findRescan,
  listDirtySales,
  listSaleSources,
  markScanned,
  rescanSources,
  type SaleRescan,
} from '@tributary/domain/commerce/outcomes';
import type { Postgres, Tx } from '@tributary/postgres';
import type { QueueHandler } from '@tributary/work';
import { sql } from 'kysely';
import { matchBatch } from './match-batch.ts';
import { measureOverlaps } from './overlaps.ts';
import { settleBatch } from './settle-batch.ts';
import { endMatching, endSettling, readByIndex } from './store.ts';

export interface SaleQueueOptions {
  readonly app: Postgres;
  /**
   * Connections in their first sync. Their payments wait until it has ended, so that the overlap is measured before
   * they count.
   */
  readonly listFirstSyncs: (tx: Tx, profileId: string) => Promise<readonly string[]>;
  /** Reopens exports of these sales, since another record may now be the one that ad platforms receive. */
  readonly reopenExports: (tx: Tx, profileId: string, outcomeIds: readonly string[]) => Promise<void>;
  readonly now: () => Date;
}

const againSeconds = 1;

/** A marked payment, or a source whose payments must all be marked first. */
type Waiting = (DirtySale & { readonly rescan?: undefined }) | { readonly id: string; readonly rescan: SaleRescan };

/**
 * Matches records of the same sale, per profile. All waiting records are matched first, then overlaps are measured,
 * then sales are settled. So a first sync changes reports once, by the payments that no other source reported.
 */
export const sales = ({ app, listFirstSyncs, reopenExports, now }: SaleQueueOptions): QueueHandler<Waiting> => ({
  async load(profileId, limit) {
    return app.forProfile(profileId).transaction(async (tx) => {
      const rescan = await findRescan(tx, profileId);
      if (rescan) return { items: [{ id: rescanId(rescan), rescan }], isMore: true };
      const syncing = await listFirstSyncs(tx, profileId);
      const rows = await listDirtySales(tx, profileId, syncing, limit);
      const first = rows[0];
      // Settles nothing while any record waits for matching.
      const items = first ? rows.filter(({ isMatched }) => isMatched === first.isMatched) : [];
      const waits = syncing.length > 0 && items.length === 0;
      // Matched records are settled in the next batch.
      const isMore = first !== undefined && (!first.isMatched || rows.length === limit);
      return { items, isMore, ...(waits && { againSeconds }) };
    });
  },

  async work({ key: profileId, items: waiting, renewLease }) {
    await app.forProfile(profileId).transaction(async (tx) => {
      await renewLease(tx);
      for (const { rescan } of waiting) if (rescan) await continueRescan(tx, profileId, rescan);
      const items = waiting.filter((one): one is DirtySale => one.rescan === undefined);
      if (items.length === 0) return;
      const ids = items.map(({ id }) => id);
      const sources = await listSaleSources(tx, profileId);
      if (sources.length > 1 && sources.some(({ isScanned }) => !isScanned)) return markScanned(tx, profileId, now());
      if (!items[0]?.isMatched) {
        const others = await readByIndex(tx, () => matchBatch(tx, profileId, ids, now()));
        await readByIndex(tx, () => endMatching(tx, profileId, [...items, ...others]));
        const [next] = await listDirtySales(tx, profileId, await listFirstSyncs(tx, profileId), 1);
        if (next?.isMatched) await measureOverlaps(tx, profileId, now());
        return;
      }
      const { changed, others } = await settleBatch(tx, profileId, ids, now());
      await reopenExports(tx, profileId, changed);
      await readByIndex(tx, () => endSettling(tx, profileId, [...items, ...others]));
    });
  },

  async park(tx, profileId, item) {
    if (item.rescan) return endRescan(tx, profileId, item.rescan.id);
    await sql`
      DELETE FROM dirty_sales WHERE profile_id = ${profileId} AND outcome_id = ${item.id} AND revision = ${item.revision}`.execute(
      tx,
    );
  },

  async unpark(tx, profileId, ids) {
    for (const id of ids) {
      const rescan = readRescanId(id);
      if (rescan) await rescanSources(tx, profileId, [rescan.source], rescan.what);
    }
    await sql`
      INSERT INTO dirty_sales (profile_id, outcome_id)
      SELECT ${profileId}::uuid, unnest(${ids.filter((id) => !readRescanId(id))}::uuid[])
      ON CONFLICT DO NOTHING`.execute(tx);
  },
});

/** Encodes the rescan in its id, because its row is deleted when it is parked. */
const rescanId = ({ source, isMatched }: SaleRescan): string => `rescan ${isMatched ? 'counted' : 'matches'} ${source}`;

function readRescanId(id: string): { readonly source: string; readonly what: 'matches' | 'counted' } | undefined {
  const [, what, source] = /^rescan (matches|counted) (.+)$/s.exec(id) ?? [];
  return what && source ? { source, what: what as 'matches' | 'counted' } : undefined;
}
