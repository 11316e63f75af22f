import { nameOfVisitor } from '@tributary/domain/customers';
import { visitorIdMessage, visitorIdOf } from '@tributary/rules';
import { keyedHash } from '@tributary/vault';
import type { Ingestion } from './context.ts';
import type { Arrival } from './message.ts';
import { remembering } from './remembering.ts';
import { findErasedHashes, type VisitProfile } from './store.ts';

/** Under which id a request's browser is stored. */
export interface StoredBrowser {
  readonly visitorId: string;
  /** Whether its person was erased after the request came: then nothing but what counts is kept of it. */
  readonly isErased: boolean;
}

type FindBrowsers = Pick<Ingestion, 'postgres' | 'visitorKey' | 'tombstones'>;

/**
 * Step 3. An erasure makes a stranger of the browser: what comes later is stored under the id of its next generation, and nothing
 * leads from there to the one before. Which generation a request is of, its own time decides, so that it is the same
 * whenever it is delivered.
 */
export async function findBrowsers(
  { postgres, visitorKey, tombstones }: FindBrowsers,
  arrivals: readonly Arrival[],
  profiles: ReadonlyMap<string, VisitProfile>,
): Promise<Map<Arrival, StoredBrowser>> {
  const visitorOf = visitorsUnder(visitorKey());
  const found = new Map<Arrival, StoredBrowser>();
  let open: Arrival[] = [];
  for (const arrival of arrivals) {
    const profile = profiles.get(arrival.profile_id);
    if (!profile) continue;
    found.set(arrival, { visitorId: visitorOf(arrival, 0), isErased: false });
    if (profile.hasErased) open.push(arrival);
  }
  for (let generation = 1; open.length > 0; generation += 1) {
    const asked = open.map((arrival) => {
      const { visitorId } = found.get(arrival) as StoredBrowser;
      return { profileId: arrival.profile_id, hash: tombstones.hashOf(arrival.profile_id, nameOfVisitor(visitorId)) };
    });
    const erased = await findErasedHashes(postgres, asked);
    open = open.filter((arrival, index) => {
      const erasedAt = erased.get((asked[index] as { hash: Buffer }).hash.toString('hex'));
      if (!erasedAt) return false;
      const isErased = new Date(arrival.received_at) <= erasedAt;
      const { visitorId } = found.get(arrival) as StoredBrowser;
      found.set(arrival, {
        visitorId: isErased ? visitorId : visitorOf(arrival, generation),
        isErased,
      });
      return !isErased;
    });
  }
  return found;
}

/** A browser has many requests in a batch, and its id is made once. */
function visitorsUnder(key: Buffer) {
  const idOf = remembering((message) => visitorIdOf(keyedHash(key, message)));
  return ({ profile_id, client_id }: Pick<Arrival, 'profile_id' | 'client_id'>, generation: number): string =>
    idOf(visitorIdMessage(profile_id, client_id, generation));
}
