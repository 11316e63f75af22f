import { runPerServer } from '@tributary/postgres';
import type { Ingestion } from './context.ts';
import type { PlacedVisit } from './place-visits.ts';
import { markTouchedConversions } from './store.ts';

/**
 * Step 11: marks conversions that the new touches may change. Runs after ClickHouse has stored the touches: an earlier
 * mark could be processed without them and would not be repeated.
 */
export async function markTouched(
  { postgres }: Pick<Ingestion, 'postgres'>,
  visits: readonly PlacedVisit[],
): Promise<void> {
  const touches = visits.filter(({ touch }) => touch);
  if (touches.length > 0)
    await runPerServer(
      postgres,
      touches.map(({ profile, visitorId, visit }) => ({ profileId: profile.id, visitorId, at: visit.at })),
      markTouchedConversions,
    );
}
