import { type ClickHouseSettings, clearPeople } from '@tributary/clickhouse';
import { type Cleared, findsNamingErased } from '@tributary/domain/customers';
import { findVisitorsOf, forgetDeadLetters, type Opening } from '@tributary/domain/ingestion';
import { countDirty, eraseOutcomes } from '@tributary/domain/outcomes';
import type { Postgres } from '@tributary/postgres';
import type { Stream } from '@tributary/stream';
import { clickhouseTables, holders } from './registry.ts';
import { type ErasureWork, finish, listWork, lockWork, notePosition } from './store.ts';

export interface ErasureStores {
  readonly app: Postgres;
  readonly system: Postgres;
  readonly clickhouse: ClickHouseSettings;
  readonly stream: Pick<Stream, 'lastSequence' | 'consumedThrough' | 'deadLetters'>;
  /** The consumer that puts visits into the stores. */
  readonly consumer: string;
  /** What opens the content of bad rows and dead letters. */
  readonly opening: Opening;
  /** The last dead letter that this process has looked at. */
  readonly letters: { through: number };
  readonly now: () => Date;
}

/** Of one run; the others wait for the next. */
const mostAtOnce = 1_000;

/**
 * The second half of erasures, for all that are due at once, because a mutation of ClickHouse costs the same for one person as for a
 * thousand. A visit may have been on its way into the columns when its person was erased; so it waits until the consumer of visits has
 * passed the place where the log ended then, and until the person's conversions were worked out anew. Safe to run again at any
 * point. Resolves to how many erasures are done.
 */
export async function completeErasures(stores: ErasureStores, signal: AbortSignal): Promise<number> {
  const due = await findDue(stores);
  // A message that dies after its person was erased, as in a replay of the log, is looked at when it is there.
  const letters = await forgetDeadLetters(
    stores.opening,
    stores.stream,
    signal,
    due.length > 0 ? 0 : stores.letters.through,
  );
  stores.letters.through = letters.through;
  if (due.length === 0) return 0;
  const visitorsOf = new Map<ErasureWork, string[]>();
  for (const work of due) visitorsOf.set(work, await readVisitors(stores, work));
  const columns = await clearPeople(
    stores.clickhouse,
    clickhouseTables,
    {
      profileIds: [...new Set(due.map(({ profileId }) => profileId))],
      visitorIds: [...visitorsOf.values()].flat(),
      personIds: due.flatMap(({ personIds }) => personIds),
      shellIds: due.flatMap(({ personIds, shellId }) => personIds.map(() => shellId)),
    },
    signal,
  );
  const texts = new Map<string, Cleared>();
  for (const profileId of new Set(due.map((work) => work.profileId)))
    texts.set(profileId, await forgetTexts(stores, profileId, signal));
  // What was cleared together is counted together: whose row was whose, nobody may know any more.
  const cleared = { ...columns, erasures_together: due.length, dead_letters: letters.forgotten };
  let done = 0;
  for (const work of due) {
    const { profileId, erasureId, shellId } = work;
    const visitors = new Set(visitorsOf.get(work));
    await stores.app.forProfile(profileId).transaction(async (tx) => {
      if (!(await lockWork(tx, profileId, erasureId))) return;
      // A browser that turned out to be the person's while we cleared waits for the next run, and so does the receipt.
      if ((await findVisitorsOf(tx, profileId, [shellId])).some((visitorId) => !visitors.has(visitorId))) return;
      // What a batch recorded that had begun before the erasure, and ended after it.
      await eraseOutcomes(tx, { profileId, customerIds: [shellId], shellId, at: stores.now() });
      await finish(tx, profileId, erasureId, { ...cleared, ...texts.get(profileId) }, stores.now());
      done += 1;
    });
  }
  return done;
}

/** What names somebody within a longer text, room by room. */
async function forgetTexts(
  { app, stream, opening }: ErasureStores,
  profileId: string,
  signal: AbortSignal,
): Promise<Cleared> {
  const findNaming = findsNamingErased(app, opening.tombstones);
  const stores = { app, stream, opening, vault: opening.envelopeVault };
  const cleared: Record<string, number> = {};
  for (const { forget } of holders) Object.assign(cleared, await forget?.(profileId, stores, findNaming, signal));
  return cleared;
}

async function findDue({ app, system, stream, consumer }: ErasureStores): Promise<ErasureWork[]> {
  const waiting = await system.unbound.transaction((tx) => listWork(tx, mostAtOnce));
  if (waiting.length === 0) return [];
  const unseen = waiting.filter(({ logPosition }) => logPosition === null).map(({ erasureId }) => erasureId);
  const end = unseen.length > 0 ? await stream.lastSequence() : 0;
  if (unseen.length > 0) await system.unbound.transaction((tx) => notePosition(tx, unseen, end));
  const passed = await stream.consumedThrough(consumer);
  const due: ErasureWork[] = [];
  for (const work of waiting) {
    if (Number(work.logPosition ?? end) > passed) continue;
    const dirty = await app
      .forProfile(work.profileId)
      .transaction((tx) => countDirty(tx, work.profileId, work.shellId), { readOnly: true });
    if (dirty === 0) due.push(work);
  }
  return due;
}

const readVisitors = ({ app }: ErasureStores, { profileId, shellId }: ErasureWork): Promise<string[]> =>
  app.forProfile(profileId).transaction((tx) => findVisitorsOf(tx, profileId, [shellId]), { readOnly: true });
