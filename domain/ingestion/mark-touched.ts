import { onEachServer } from '@tributary/postgres';
import type { Ingestion } from './context.ts';
import type { PlacedVisit } from './place-visits.ts';
import { markTouchedConversions } from './store.ts';

/**
 * Step 11. Conversions that the touches may change are worked out again. Only now, when ClickHouse has the touches: marked before,
 * they could be worked out without them, and nobody would look again.
 */
export async function markTouched(
  { postgres }: Pick<Ingestion, 'postgres'>,
  visits: readonly PlacedVisit[],
): Promise<void> {
  const touches = visits.filter(({ touch }) => touch);
  if (touches.length > 0)
    await onEachServer(
      postgres,
      touches.map(({ profile, visitorId, visit }) => ({ profileId: profile.id, visitorId, at: visit.at })),
      markTouchedConversions,
    );
}
