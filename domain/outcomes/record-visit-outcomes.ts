import { loadDefinitions } from '@tributary/domain/definitions';
import type { Tx } from '@tributary/postgres';
import { definitionFinder, eventNameKey, type Json } from '@tributary/rules';
import type { ReadEvent } from './read-event.ts';
import { type RecordContext, type Recorded, recordOutcomes } from './record-outcomes.ts';

/** Something that a browser did, by the name its site gives it. */
export interface VisitOutcome {
  readonly visitId: string;
  readonly visitorId: string;
  /** Whose browser it is, as far as is known. Somebody who is not merged away, and locked. */
  readonly customerId: string | null;
  /** Whether it was sent before its person was erased. */
  readonly isErased: boolean;
  readonly name: string;
  readonly occurredAt: Date;
  readonly rest: Readonly<Record<string, Json>>;
}

/** A browser's visits say what brought it and whose it is; only servers name ads and browsers beside an outcome. */
const ofServers: Pick<RecordContext, 'findAdPlatforms' | 'visitors'> = {
  findAdPlatforms: async () => new Map(),
  visitors: { holdersOf: async () => new Map(), link: async () => [] },
};

/**
 * Records what browsers did and a definition lists; the rest stays a visit. The key of a browser is public, so anybody can send
 * anything: no money is taken from one, and what counts as cash is not recorded at all.
 */
export async function recordVisitOutcomes(
  tx: Tx,
  outcomes: readonly VisitOutcome[],
  context: Omit<RecordContext, keyof typeof ofServers>,
): Promise<Recorded[]> {
  const definitionOf = definitionFinder(await loadDefinitions(tx, context.profileId, context.now));
  const listed = outcomes.filter(({ name }) => {
    const definition = definitionOf({ eventName: name, eventType: name });
    return definition !== undefined && !definition.countsAsCash;
  });
  return recordOutcomes(tx, listed.map(readVisitOutcome), { ...ofServers, ...context });
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
      // The visit's own id: however often it arrives, it is one outcome.
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
