import { type ClickHouseSettings, erasePeople } from '@tributary/clickhouse';
import { type Cleared, createErasedMentionFinder } from '@tributary/domain/commerce/customers';
import { countDirty, eraseOutcomes } from '@tributary/domain/commerce/outcomes';
import { findVisitorsOf, forgetDeadLetters, type Opening } from '@tributary/domain/traffic/ingestion';
import type { Postgres } from '@tributary/postgres';
import { isPassed, type Stream } from '@tributary/stream';
import type { Batch, LoadedItems, QueueHandler } from '@tributary/work';
import { type ErasureNote, noteOf } from './erasure-note.ts';
import { clickhouseTables, personalDataModules } from './registry.ts';
import { type ErasureWork, finish, listWork, lockWork, notePosition, setWorkAside } from './store.ts';

export interface ErasureStores {
  readonly app: Postgres;
  readonly clickhouse: ClickHouseSettings;
  readonly stream: Pick<Stream, 'end' | 'consumedThrough' | 'deadLetters'>;
  /** Name of the consumer that stores visits. */
  readonly consumer: string;
  /** Decrypts the content of bad rows and dead letters. */
  readonly opening: Opening;
  /** Stores the note next to the backups, so that a restore cannot bring the person back. Undefined when no backups are configured. */
  readonly keepNote?: ((note: ErasureNote) => Promise<void>) | undefined;
  readonly now: () => Date;
}

/** The conditions an erasure waits for (visits in flight, attribution) are met within seconds. */
const againSeconds = 1;

/**
 * Second half of erasures: processes all due erasures of a profile at once, because a ClickHouse mutation costs the same for one person as
 * for a thousand. Safe to run again at any point.
 */
export const erasures = (stores: ErasureStores): QueueHandler<ErasureWork> => ({
  load: (profileId, limit) => takeDue(stores, profileId, limit),
  work: (batch) => complete(stores, batch),
  park: (tx, profileId, { id }) => setWorkAside(tx, profileId, [id], true),
  unpark: (tx, profileId, ids) => setWorkAside(tx, profileId, ids, false),
});

/**
 * An erasure waits until the visit consumer has passed the end of the stream at the time of the erasure, because visits may have been in
 * flight to ClickHouse. It also waits until the person's conversions were attributed again.
 */
async function takeDue(
  { app, stream, consumer }: ErasureStores,
  profileId: string,
  limit: number,
): Promise<LoadedItems<ErasureWork>> {
  const { transaction } = app.forProfile(profileId);
  const waiting = await transaction((tx) => listWork(tx, profileId, limit));
  if (waiting.length === 0) return { items: [], isMore: false };
  const unseen = waiting.filter(({ logPosition }) => logPosition === null).map(({ id }) => id);
  const end = unseen.length > 0 ? await stream.end() : '';
  if (unseen.length > 0) await transaction((tx) => notePosition(tx, profileId, unseen, end));
  const passed = await stream.consumedThrough(consumer);
  const items: ErasureWork[] = [];
  for (const work of waiting) {
    if (!isPassed(passed, work.logPosition ?? end)) continue;
    const dirty = await transaction((tx) => countDirty(tx, profileId, work.shellId), { readOnly: true });
    if (dirty === 0) items.push(work);
  }
  const isMore = waiting.length === limit && items.length > 0;
  return { items, isMore, retrySeconds: items.length < waiting.length ? againSeconds : undefined };
}

async function complete(stores: ErasureStores, { key: profileId, items, signal, renewLease }: Batch<ErasureWork>) {
  const { transaction } = stores.app.forProfile(profileId);
  // Written before any erasure completes: restoring an older backup must not bring back a person with a receipt.
  for (const work of items)
    await stores.keepNote?.(await transaction((tx) => noteOf(tx, profileId, work), { readOnly: true }));
  const letters = await forgetDeadLetters(stores.opening, stores.stream, signal, { profileId });
  const visitorsOf = new Map<ErasureWork, string[]>();
  for (const work of items)
    visitorsOf.set(work, await transaction((tx) => findVisitorsOf(tx, profileId, [work.shellId]), { readOnly: true }));
  const columns = await erasePeople(
    stores.clickhouse,
    clickhouseTables,
    {
      profileIds: [profileId],
      visitorIds: [...visitorsOf.values()].flat(),
      personIds: items.flatMap(({ personIds }) => personIds),
      shellIds: items.flatMap(({ personIds, shellId }) => personIds.map(() => shellId)),
    },
    signal,
  );
  const texts = await forgetTexts(stores, profileId, signal);
  // Rows cleared together are counted together: which rows belonged to which person must no longer be known.
  const cleared = { ...columns, erasures_together: items.length, dead_letters: letters.forgotten, ...texts };
  for (const work of items) {
    const visitors = new Set(visitorsOf.get(work));
    await transaction(async (tx) => {
      await renewLease(tx);
      if (!(await lockWork(tx, profileId, work.id))) return;
      // A visitor linked to the person during the clearing waits for the next batch, and so does the receipt.
      if ((await findVisitorsOf(tx, profileId, [work.shellId])).some((visitorId) => !visitors.has(visitorId))) return;
      // Erases outcomes recorded by a batch that began before the erasure and ended after it.
      await eraseOutcomes(tx, { profileId, customerIds: [work.shellId], shellId: work.shellId, at: stores.now() });
      await finish(tx, profileId, work.id, cleared, stores.now());
    });
  }
}

/** Erases identifiers inside longer texts, module by module. */
async function forgetTexts(
  { app, stream, opening }: ErasureStores,
  profileId: string,
  signal: AbortSignal,
): Promise<Cleared> {
  const findNaming = createErasedMentionFinder(app, opening.tombstones);
  const stores = { app, stream, opening, vault: opening.envelopeVault };
  const cleared: Record<string, number> = {};
  for (const { forget } of personalDataModules)
    Object.assign(cleared, await forget?.(profileId, stores, findNaming, signal));
  return cleared;
}
