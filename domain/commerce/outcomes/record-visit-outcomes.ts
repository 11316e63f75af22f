import { loadDefinitions } from '@tributary/domain/commerce/definitions';
import type { Tx } from '@tributary/postgres';
import { definitionFinder, eventNameKey, type Json } from '@tributary/rules';
import type { ReadEvent } from './read-event.ts';
import { type RecordContext, type RecordedOutcome, recordOutcomes } from './record-outcomes.ts';

/** An event sent by a browser. */
export interface VisitOutcome {
  readonly visitId: string;
  readonly visitorId: string;
  /** The customer linked to the visitor, if any. Locked, and not merged away. */
  readonly customerId: string | null;
  /** Whether it was sent before its customer was erased. */
  readonly isErased: boolean;
  readonly name: string;
  readonly occurredAt: Date;
  readonly rest: Readonly<Record<string, Json>>;
}

/** Not used for browser events: their ads and visitor links come from visits. Only server events contain them. */
const serverOnlyServices: Pick<RecordContext, 'findAdPlatforms' | 'visitors'> = {
  findAdPlatforms: async () => new Map(),
  visitors: { holdersOf: async () => new Map(), link: async () => [] },
};

/**
 * Records browser events that match a definition; others stay visits only. Tracking keys are public, so anyone can send anything: money from
 * browsers is ignored, and events that count as cash are not recorded.
 */
export async function recordVisitOutcomes(
  tx: Tx,
  outcomes: readonly VisitOutcome[],
  context: Omit<RecordContext, keyof typeof serverOnlyServices>,
): Promise<RecordedOutcome[]> {
  const definitionOf = definitionFinder(await loadDefinitions(tx, context.profileId, context.now));
  const listed = outcomes.filter(({ name }) => {
    const definition = definitionOf({ eventName: name, eventType: name });
    return definition !== undefined && !definition.countsAsCash;
  });
  return recordOutcomes(tx, listed.map(readVisitOutcome), { ...serverOnlyServices, ...context });
}

function readVisitOutcome({
  visitId,
  visitorId,
  customerId,
  isErased,
  name,
  occurredAt,
  rest,
}: VisitOutcome): ReadEvent {
  const key = eventNameKey(name);
  return {
    event: {
      eventName: name,
      eventType: name,
      // The visit id as key, so that repeated deliveries record one outcome.
      idempotencyKey: `visit:${visitId}`,
      occurredAt,
      money: null,
      subjectRef: null,
    },
    eventKey: key,
    eventTypeKey: key,
    said: { identifiers: [] },
    browser: { visitorId, customerId, isErased },
    rest,
    warnings: [],
  };
}
