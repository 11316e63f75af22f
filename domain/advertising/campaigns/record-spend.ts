import type { Tx } from '@tributary/postgres';
import type { SpendStatus } from '@tributary/vocabulary';
import { mergeReport, type StoredEntity } from './entity.ts';
import type { Figures, SpendRow } from './read-spend.ts';
import {
  type Delivery,
  dayKey,
  findDelivery,
  findEntities,
  lockDelivery,
  registerAdvertiser,
  saveDelivery,
  saveEntities,
} from './store.ts';

export interface RecordedSpend {
  readonly entityId: string;
  readonly status: SpendStatus;
}

/**
 * Records spend rows in the caller's transaction: entities, figures, replaced figures, and the queue entries for
 * ClickHouse. Rows are applied in order, so two rows of one entity and day are a row and its restatement.
 */
export async function recordSpend(
  tx: Tx,
  profileId: string,
  rows: readonly SpendRow[],
  now: Date,
): Promise<RecordedSpend[]> {
  if (rows.length === 0) return [];
  await lockDelivery(tx, profileId);
  const haveEntitiesChanged = await recordEntities(tx, profileId, rows);
  const stored = await findDelivery(tx, profileId, rows);
  const current = new Map(stored);
  const replaced: Delivery[] = [];
  const recorded = rows.map(({ entity, day, figures }): RecordedSpend => {
    const key = dayKey(entity.id, day);
    const before = current.get(key);
    if (before && isSame(before.figures, figures)) return { entityId: entity.id, status: 'unchanged' };
    if (before) replaced.push(before);
    current.set(key, { entityId: entity.id, day, revision: (before?.revision ?? 0) + 1, recordedAt: now, figures });
    return { entityId: entity.id, status: before ? 'updated' : 'recorded' };
  });
  const changed = [...current].flatMap(([key, delivery]) => {
    const copiedRevision = stored.get(key)?.revision ?? 0;
    return delivery.revision === copiedRevision ? [] : [{ ...delivery, shownRevision: copiedRevision }];
  });
  await saveDelivery(tx, profileId, changed, replaced, now);
  if (changed.length > 0 || haveEntitiesChanged) await registerAdvertiser(tx, profileId);
  return recorded;
}

const isSame = (before: Figures, after: Figures): boolean =>
  (Object.keys(after) as (keyof Figures)[]).every((name) => before[name] === after[name]);

/** Stores entities and resolves to whether reports will change because of them. */
export async function recordEntities(
  tx: Tx,
  profileId: string,
  rows: readonly Pick<SpendRow, 'entity' | 'parents' | 'day'>[],
): Promise<boolean> {
  const reports = rows.flatMap(({ entity, parents, day }) => [...parents, entity].map((one) => ({ one, day })));
  const existing = await findEntities(
    tx,
    profileId,
    reports.map(({ one }) => one.id),
  );
  const after = new Map<string, StoredEntity>(existing);
  for (const { one, day } of reports) after.set(one.id, mergeReport(after.get(one.id), one, day));
  const touched = [...after.values()].filter(
    (entity) => JSON.stringify(entity) !== JSON.stringify(existing.get(entity.id)),
  );
  const isRevised = ({ id, revision }: StoredEntity) => existing.get(id)?.revision !== revision;
  const moved = touched.filter(({ id, level, parentId }) => {
    const before = existing.get(id);
    return level === 'ad_set' && before !== undefined && before.parentId !== parentId;
  });
  await saveEntities(tx, profileId, {
    touched,
    revisedIds: touched.filter(isRevised).map(({ id }) => id),
    movedAdSets: moved.map(({ id }) => id),
  });
  return touched.some(isRevised);
}
