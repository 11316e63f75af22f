import { onEachServer } from '@tributary/postgres';
import type { Ingestion } from './context.ts';
import { saveLastVisits } from './last-visits.ts';
import type { PlacedVisit } from './place-visits.ts';

/** Step 12. When the last visit of each profile came, so that a tracker that falls silent is noticed without going through the visits. */
export async function noteLast(
  { postgres }: Pick<Ingestion, 'postgres'>,
  visits: readonly PlacedVisit[],
): Promise<void> {
  const latest = new Map<string, string>();
  for (const { profile, arrival } of visits) {
    const known = latest.get(profile.id);
    if (known === undefined || known < arrival.received_at) latest.set(profile.id, arrival.received_at);
  }
  if (latest.size > 0)
    await onEachServer(
      postgres,
      [...latest].map(([profileId, at]) => ({ profileId, at })),
      saveLastVisits,
    );
}
