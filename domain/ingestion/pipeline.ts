import { ClickHouseFailure } from '@tributary/clickhouse';
import { isAway, wasTooSlow } from '@tributary/postgres';
import { type Handler, RetryLater } from '@tributary/stream';
import type { Ingestion } from './context.ts';
import { countRefused } from './count-refused.ts';
import { findBrowsers } from './find-browsers.ts';
import { identifyVisitors } from './identify-visitors.ts';
import { keepBadVisits } from './keep-bad-visits.ts';
import { markTouched } from './mark-touched.ts';
import { noteLast } from './note-last.ts';
import { type OpenedRequest, openMessages } from './open-messages.ts';
import { type PlacedVisit, placeVisits } from './place-visits.ts';
import { recordConversions } from './record-conversions.ts';
import { findProfiles } from './store.ts';
import { storeVisits } from './store-visits.ts';
import { verifyInstalls } from './verify-installs.ts';

/** Who reads the visits log: all workers share this one. Erasures and deletions ask how far it is. */
export const visitsConsumer = 'ingestion';

/** The handler of the visits log. When it resolves, the messages are acknowledged. */
export function pipeline(ingestion: Ingestion): Handler {
  return (batch) =>
    untilBack(async () => noteLast(ingestion, await ingest(ingestion, await openMessages(ingestion, batch))));
}

/** The steps, in their order. Each may run again on the same visits at any time, and changes nothing then. */
export async function ingest(
  ingestion: Ingestion,
  requests: readonly OpenedRequest[],
): Promise<readonly PlacedVisit[]> {
  const profiles = await findProfiles(
    ingestion.postgres,
    requests.map(({ arrival }) => arrival.profile_id),
  );
  const arrivals = requests.map(({ arrival }) => arrival);
  const place = async () => placeVisits(requests, profiles, await findBrowsers(ingestion, arrivals, profiles));
  let visits = await place();
  await keepBadVisits(ingestion, requests, profiles);
  await countRefused(ingestion, requests, profiles);
  while (await identifyVisitors(ingestion, visits)) visits = await place();
  await storeVisits(ingestion, visits);
  await recordConversions(ingestion, visits);
  await verifyInstalls(ingestion, visits);
  await markTouched(ingestion, visits);
  return visits;
}

const pauseMs = 1_000;

/**
 * A store that is away is no fault of the messages: they are held, however long it takes, and none becomes a dead letter. A statement
 * that took too long is thrown on: fewer messages may get through, and where none does the consumer holds them, too.
 */
async function untilBack(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const isPassing = error instanceof ClickHouseFailure ? error.transient : isAway(error) && !wasTooSlow(error);
    if (!isPassing) throw error;
    const store = error instanceof ClickHouseFailure ? 'ClickHouse' : 'PostgreSQL';
    throw new RetryLater(`${store} is away.`, { delayMs: pauseMs, cause: error });
  }
}
