import { findLineages } from '@tributary/domain/campaigns';
import { asSessionsCame } from '@tributary/domain/ingestion';
import { findTypesOfVisits } from '@tributary/domain/outcomes';
import { entitiesOfOutcome, entitiesOfTouch, entitiesOfVisit, type JourneyEvent, showEvent } from './show-event.ts';
import { readTimeline, type Stores, type TimelineAsked, type TimelineEvent } from './timeline.ts';

/** A page of a journey as somebody sees it who may see people. */
export async function readEvents(
  stores: Stores,
  asked: TimelineAsked,
): Promise<{ events: JourneyEvent[]; total_count: number }> {
  const { profileId } = asked;
  const { events: found, totalCount } = await readTimeline(stores, asked);
  const events = await withSessions(stores, profileId, found);
  const entities = events.flatMap((event) => {
    if (event.store === 'ledger') return entitiesOfOutcome(event.row);
    return event.store === 'visits' ? entitiesOfVisit(profileId, event.row) : entitiesOfTouch(event.row);
  });
  // Only what a site gave a name of its own may have been recorded as an outcome.
  const tracked = events.flatMap((event) =>
    event.store === 'visits' && event.row.event_type === 'track' ? [event.row.visit_id] : [],
  );
  const around =
    entities.length + tracked.length === 0
      ? { lineages: new Map(), outcomeTypes: new Map() }
      : await stores.ledger.transaction(
          async (tx) => ({
            lineages: await findLineages(tx, profileId, entities),
            outcomeTypes: await findTypesOfVisits(tx, profileId, tracked),
          }),
          { readOnly: true },
        );
  return { events: events.map((event) => showEvent(event, { profileId, ...around })), total_count: totalCount };
}

/** A page within the site, and what was done on it, show what brought the session. */
async function withSessions(
  { clickhouse, signal }: Stores,
  profileId: string,
  events: readonly TimelineEvent[],
): Promise<TimelineEvent[]> {
  const visits = events.flatMap((event) => (event.store === 'visits' ? [event.row] : []));
  const came = await asSessionsCame(clickhouse, profileId, visits, signal);
  const rows = new Map(visits.map((row, index) => [row, came[index]]));
  return events.map((event) =>
    event.store === 'visits' ? { ...event, row: rows.get(event.row) ?? event.row } : event,
  );
}
