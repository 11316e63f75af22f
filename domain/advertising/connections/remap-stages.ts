import type { StageRecord } from '@tributary/domain/commerce/outcomes';
import { dealEnds, type StageOutcome } from '@tributary/vocabulary';

/** A changed record of a deal, under its baseType idempotency key. */
export interface RemappedRecord extends StageRecord {
  readonly idempotencyKey: string;
  readonly eventType: string;
}

interface Mapping {
  /** Keys reported by this sync; their records are written as reported. */
  readonly reported: ReadonlySet<string>;
  readonly getMeaning: (record: StageRecord) => StageOutcome | undefined;
  readonly toKey: (externalId: string, outcomeType: string) => string;
}

const isCounted = (meaning: StageOutcome): boolean => meaning !== 'ignored' && meaning !== 'unmapped';

/** No definition lists this event type, so it isCounted nowhere. */
const toWithdrawnType = (eventType: string): string => `${eventType}_withdrawn`;

/**
 * Updates records after a member maps a stage to another meaning. The previous record is toWithdrawnType, and the deal gets a
 * record of the new meaning. Otherwise the deal would count under both.
 */
export function remapRecords(
  records: readonly StageRecord[],
  { reported, getMeaning, toKey }: Mapping,
): RemappedRecord[] {
  const existing = new Set([...reported, ...records.map(({ idempotencyKey }) => idempotencyKey)]);
  return records.flatMap((record) => {
    const { idempotencyKey: key, externalId, eventType } = record;
    // The end of a deal is reported regardless of its stage, and stays if the deal is reopened.
    if (reported.has(key) || dealEnds.some((end) => end === eventType)) return [];
    const meaning = getMeaning(record);
    if (meaning === undefined) return [];
    const baseType = eventType.replace(/_withdrawn$/, '');
    const newType = meaning === baseType ? baseType : toWithdrawnType(baseType);
    const changed = newType === eventType ? [] : [{ ...record, eventType: newType }];
    if (!isCounted(meaning) || existing.has(toKey(externalId, meaning))) return changed;
    existing.add(toKey(externalId, meaning));
    return [...changed, { ...record, idempotencyKey: toKey(externalId, meaning), eventType: meaning }];
  });
}
