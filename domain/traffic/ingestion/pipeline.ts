import { ClickHouseFailure } from '@tributary/clickhouse';
import { isUnavailable, wasTooSlow } from '@tributary/postgres';
import { type Handler, RetryLater } from '@tributary/stream';
import type { Ingestion } from './context.ts';
import { countRefused } from './count-refused.ts';
import { findBrowsers } from './find-browsers.ts';
import { identifyVisitors } from './identify-visitors.ts';
import { markTouched } from './mark-touched.ts';
import { recordLastVisits } from './note-last.ts';
import { type OpenedRequest, openMessages } from './open-messages.ts';
import { type PlacedVisit, placeVisits } from './place-visits.ts';
import { recordConversions } from './record-conversions.ts';
import { findProfiles } from './store.ts';
import { storeBadVisits } from './store-invalid-visits.ts';
import { storeVisits } from './store-visits.ts';
import { verifyInstalls } from './verify-installs.ts';

/** The name of the consumer that all workers share. Erasures and deletions query its position. */
export const visitsConsumer = 'ingestion';

/** Handles batches of the visit stream. Messages are acknowledged when it resolves. */
export function pipeline(ingestion: Ingestion): Handler {
  return (batch) =>
    retryWhileAway(async () =>
      recordLastVisits(ingestion, await ingest(ingestion, await openMessages(ingestion, batch))),
    );
}

/** Runs the steps in order. Each is idempotent and may run again on the same visits at any time. */
export async function ingest(
  ingestion: Ingestion,
  requests: readonly OpenedRequest[],
): Promise<readonly PlacedVisit[]> {
  const profiles = await findProfiles(
    ingestion.postgres,
    requests.map(({ arrival }) => arrival.profile_id),
  );
  const arrivals = requests.map(({ arrival }) => arrival);
  const placeAll = async () => placeVisits(requests, profiles, await findBrowsers(ingestion, arrivals, profiles));
  let visits = await placeAll();
  await storeBadVisits(ingestion, requests, profiles);
  await countRefused(ingestion, requests, profiles);
  while (await identifyVisitors(ingestion, visits)) visits = await placeAll();
  await storeVisits(ingestion, visits);
  await recordConversions(ingestion, visits);
  await verifyInstalls(ingestion, visits);
  await markTouched(ingestion, visits);
  return visits;
}

const retryDelayMs = 1_000;

/**
 * Retries messages without a limit while a database is unavailable, so that none becomes a dead letter. A statement
 * timeout is rethrown: a smaller batch may succeed, and if none does, the consumer holds the messages, too.
 */
async function retryWhileAway(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const isTransient =
      error instanceof ClickHouseFailure ? error.transient : isUnavailable(error) && !wasTooSlow(error);
    if (!isTransient) throw error;
    const store = error instanceof ClickHouseFailure ? 'ClickHouse' : 'PostgreSQL';
    throw new RetryLater(`${store} is away.`, { delayMs: retryDelayMs, cause: error });
  }
}
