import { runPerServer } from '@tributary/postgres';
import type { Ingestion } from './context.ts';
import { saveLastVisits } from './last-visits.ts';
import type { PlacedVisit } from './place-visits.ts';

/** Step 12: stores when each profile's last visit arrived. So a silent tracker is detected without scanning visits. */
export async function recordLastVisits(
  { postgres }: Pick<Ingestion, 'postgres'>,
  visits: readonly PlacedVisit[],
): Promise<void> {
  const latest = new Map<string, string>();
  for (const { profile, arrival } of visits) {
    const previous = latest.get(profile.id);
    if (previous === undefined || previous < arrival.received_at) latest.set(profile.id, arrival.received_at);
  }
  if (latest.size > 0)
    await runPerServer(
      postgres,
      [...latest].map(([profileId, at]) => ({ profileId, at })),
      saveLastVisits,
    );
}
