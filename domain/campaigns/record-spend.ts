import type { Tx } from '@tributary/postgres';
import type { SpendStatus } from '@tributary/vocabulary';
import { describe, type KnownEntity } from './entity.ts';
import type { Figures, ReadSpend } from './read-spend.ts';
import {
  type Delivery,
  findDelivery,
  findEntities,
  keyOf,
  lockDelivery,
  noteAdvertiser,
  saveDelivery,
  saveEntities,
} from './store.ts';

export interface RecordedSpend {
  readonly entityId: string;
  readonly status: SpendStatus;
}

/**
 * Records what ads did, in the caller's transaction: whose it is, the figures, what they were before, and that the columns have
 * to be told. Rows are taken in their order, so two of one entity and day are a row and its restatement.
 */
export async function recordSpend(
  tx: Tx,
  profileId: string,
  rows: readonly ReadSpend[],
  now: Date,
): Promise<RecordedSpend[]> {
  if (rows.length === 0) return [];
  await lockDelivery(tx, profileId);
  const wereEntitiesNews = await recordEntities(tx, profileId, rows);
  const stored = await findDelivery(tx, profileId, rows);
  const current = new Map(stored);
  const replaced: Delivery[] = [];
  const recorded = rows.map(({ entity, day, figures }): RecordedSpend => {
    const key = keyOf(entity.id, day);
    const before = current.get(key);
    if (before && isSame(before.figures, figures)) return { entityId: entity.id, status: 'unchanged' };
    if (before) replaced.push(before);
    current.set(key, { entityId: entity.id, day, revision: (before?.revision ?? 0) + 1, recordedAt: now, figures });
    return { entityId: entity.id, status: before ? 'updated' : 'recorded' };
  });
  const changed = [...current].flatMap(([key, delivery]) => {
    const shown = stored.get(key)?.revision ?? 0;
    return delivery.revision === shown ? [] : [{ ...delivery, shownRevision: shown }];
  });
  await saveDelivery(tx, profileId, changed, replaced, now);
  if (changed.length > 0 || wereEntitiesNews) await noteAdvertiser(tx, profileId);
  return recorded;
}

const isSame = (before: Figures, after: Figures): boolean =>
  (Object.keys(after) as (keyof Figures)[]).every((name) => before[name] === after[name]);

/** Resolves to whether reports will show anything else because of them. */
export async function recordEntities(
  tx: Tx,
  profileId: string,
  rows: readonly Pick<ReadSpend, 'entity' | 'parents' | 'day'>[],
): Promise<boolean> {
  const said = rows.flatMap(({ entity, parents, day }) => [...parents, entity].map((one) => ({ one, day })));
  const known = await findEntities(
    tx,
    profileId,
    said.map(({ one }) => one.id),
  );
  const after = new Map<string, KnownEntity>(known);
  for (const { one, day } of said) after.set(one.id, describe(after.get(one.id), one, day));
  const touched = [...after.values()].filter(
    (entity) => JSON.stringify(entity) !== JSON.stringify(known.get(entity.id)),
  );
  const isNews = ({ id, revision }: KnownEntity) => known.get(id)?.revision !== revision;
  const moved = touched.filter(({ id, level, parentId }) => {
    const before = known.get(id);
    return level === 'ad_set' && before !== undefined && before.parentId !== parentId;
  });
  await saveEntities(tx, profileId, {
    touched,
    news: touched.filter(isNews).map(({ id }) => id),
    movedAdSets: moved.map(({ id }) => id),
  });
  return touched.some(isNews);
}
