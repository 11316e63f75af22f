import { findLineages } from '@tributary/domain/advertising/campaigns';
import { findTypesOfVisits } from '@tributary/domain/commerce/outcomes';
import { inheritSessionSource } from '@tributary/domain/traffic/ingestion';
import {
  entitiesOfOutcome,
  entitiesOfTouch,
  entitiesOfVisit,
  type JourneyEvent,
  toEventResponse,
} from './event-response.ts';
import { readTimeline, type Stores, type TimelineEvent, type TimelineQuery } from './timeline.ts';

/** One page of a journey with personal data, for callers with customers:read. */
export async function readEvents(
  stores: Stores,
  query: TimelineQuery,
): Promise<{ events: JourneyEvent[]; total_count: number }> {
  const { profileId } = query;
  const { events: found, totalCount } = await readTimeline(stores, query);
  const events = await withSessions(stores, profileId, found);
  const entities = events.flatMap((event) => {
    if (event.store === 'ledger') return entitiesOfOutcome(event.row);
    return event.store === 'visits' ? entitiesOfVisit(profileId, event.row) : entitiesOfTouch(event.row);
  });
  // Only named track events can have been recorded as outcomes.
  const tracked = events.flatMap((event) =>
    event.store === 'visits' && event.row.event_type === 'track' ? [event.row.visit_id] : [],
  );
  const context =
    entities.length + tracked.length === 0
      ? { lineages: new Map(), outcomeTypes: new Map() }
      : await stores.ledger.transaction(
          async (tx) => ({
            lineages: await findLineages(tx, profileId, entities),
            outcomeTypes: await findTypesOfVisits(tx, profileId, tracked),
          }),
          { readOnly: true },
        );
  return { events: events.map((event) => toEventResponse(event, { profileId, ...context })), total_count: totalCount };
}

/** Copies the origin of a session to its later page views and events. */
async function withSessions(
  { clickhouse, signal }: Stores,
  profileId: string,
  events: readonly TimelineEvent[],
): Promise<TimelineEvent[]> {
  const visits = events.flatMap((event) => (event.store === 'visits' ? [event.row] : []));
  const withOrigins = await inheritSessionSource(clickhouse, profileId, visits, signal);
  const rows = new Map(visits.map((row, index) => [row, withOrigins[index]]));
  return events.map((event) =>
    event.store === 'visits' ? { ...event, row: rows.get(event.row) ?? event.row } : event,
  );
}
