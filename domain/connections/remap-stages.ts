import type { StageRecord } from '@tributary/domain/outcomes';
import { dealEnds, type StageOutcome } from '@tributary/vocabulary';

/** What a record of a deal is now, under its own key. */
export interface RemappedRecord extends StageRecord {
  readonly idempotencyKey: string;
  readonly eventType: string;
}

interface Mapping {
  /** Of this sync: their records are written as they are reported. */
  readonly reported: ReadonlySet<string>;
  readonly meaningOf: (record: StageRecord) => StageOutcome | undefined;
  readonly keyOf: (externalId: string, outcomeType: string) => string;
}

const counts = (meaning: StageOutcome): boolean => meaning !== 'ignored' && meaning !== 'unmapped';

/** No definition lists such an event, so it counts nowhere. */
const withdrawn = (eventType: string): string => `${eventType}_withdrawn`;

/**
 * Records that a stage gave its deals before a member mapped it to something else: each is withdrawn, and its deal gets the record
 * that the stage stands for now. Without this, a deal would count under both meanings.
 */
export function remapRecords(
  records: readonly StageRecord[],
  { reported, meaningOf, keyOf }: Mapping,
): RemappedRecord[] {
  const existing = new Set([...reported, ...records.map(({ idempotencyKey }) => idempotencyKey)]);
  return records.flatMap((record) => {
    const { idempotencyKey: key, externalId, eventType } = record;
    // How a deal ended is reported whatever its stage, and stays when the deal is opened again.
    if (reported.has(key) || dealEnds.some((end) => end === eventType)) return [];
    const meaning = meaningOf(record);
    if (meaning === undefined) return [];
    const own = eventType.replace(/_withdrawn$/, '');
    const wanted = meaning === own ? own : withdrawn(own);
    const changed = wanted === eventType ? [] : [{ ...record, eventType: wanted }];
    if (!counts(meaning) || existing.has(keyOf(externalId, meaning))) return changed;
    existing.add(keyOf(externalId, meaning));
    return [...changed, { ...record, idempotencyKey: keyOf(externalId, meaning), eventType: meaning }];
  });
}
