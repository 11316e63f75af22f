import { nameOfVisitor } from '@tributary/domain/commerce/customers';
import { visitorIdMessage, visitorIdOf } from '@tributary/rules';
import { keyedHash } from '@tributary/vault';
import type { Ingestion } from './context.ts';
import { memoize } from './memoize.ts';
import type { Arrival } from './message.ts';
import { findErasedHashes, type VisitProfile } from './store.ts';

/** The id under which a request's browser is stored. */
export interface StoredBrowser {
  readonly visitorId: string;
  /** Whether its customer was erased after the request arrived: then only non-personal columns are stored. */
  readonly isErased: boolean;
}

type FindBrowsers = Pick<Ingestion, 'postgres' | 'visitorKey' | 'tombstones'>;

/**
 * Step 3: finds each browser's id and whether its customer was erased. An erasure starts a new generation: later visits
 * get another id, which cannot be traced to the previous one. The arrival time decides the generation, so a redelivery
 * gets the same id.
 */
export async function findBrowsers(
  { postgres, visitorKey, tombstones }: FindBrowsers,
  arrivals: readonly Arrival[],
  profiles: ReadonlyMap<string, VisitProfile>,
): Promise<Map<Arrival, StoredBrowser>> {
  const getVisitorId = visitorIdsUnder(visitorKey());
  const found = new Map<Arrival, StoredBrowser>();
  let open: Arrival[] = [];
  for (const arrival of arrivals) {
    const profile = profiles.get(arrival.profile_id);
    if (!profile) continue;
    found.set(arrival, { visitorId: getVisitorId(arrival, 0), isErased: false });
    if (profile.hasErased) open.push(arrival);
  }
  for (let generation = 1; open.length > 0; generation += 1) {
    const lookups = open.map((arrival) => {
      const { visitorId } = found.get(arrival) as StoredBrowser;
      return { profileId: arrival.profile_id, hash: tombstones.hashOf(arrival.profile_id, nameOfVisitor(visitorId)) };
    });
    const erased = await findErasedHashes(postgres, lookups);
    open = open.filter((arrival, index) => {
      const erasedAt = erased.get((lookups[index] as { hash: Buffer }).hash.toString('hex'));
      if (!erasedAt) return false;
      const isErased = new Date(arrival.received_at) <= erasedAt;
      const { visitorId } = found.get(arrival) as StoredBrowser;
      found.set(arrival, {
        visitorId: isErased ? visitorId : getVisitorId(arrival, generation),
        isErased,
      });
      return !isErased;
    });
  }
  return found;
}

/** Derives visitor ids with a cache, because a browser sends many requests in a batch. */
function visitorIdsUnder(key: Buffer) {
  const idOf = memoize((message) => visitorIdOf(keyedHash(key, message)));
  return ({ profile_id, client_id }: Pick<Arrival, 'profile_id' | 'client_id'>, generation: number): string =>
    idOf(visitorIdMessage(profile_id, client_id, generation));
}
