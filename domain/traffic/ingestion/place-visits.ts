import { type Classification, classifyVisit, decideTouch, type Touch } from '@tributary/rules';
import type { StoredBrowser } from './find-browsers.ts';
import { memoize } from './memoize.ts';
import type { Arrival } from './message.ts';
import type { OpenedRequest } from './open-messages.ts';
import type { OpenVisit, SecretPart } from './parse-visit.ts';
import type { VisitProfile } from './store.ts';

/** A visit with everything that can be derived from it and the profile's settings. */
export interface PlacedVisit extends StoredBrowser {
  readonly profile: VisitProfile;
  readonly arrival: Arrival;
  readonly visit: OpenVisit;
  readonly secret: SecretPart;
  readonly classification: Classification;
  /** The path of its page. */
  readonly path: string;
  /** Null if it is not a touch; always null for a bot. */
  readonly touch: Touch | null;
}

/**
 * Step 4: classifies the source of each visit and decides whether it is a touch. Uses only the visit and the profile's
 * settings, so the order of arrival does not matter.
 */
export function placeVisits(
  requests: readonly OpenedRequest[],
  profiles: ReadonlyMap<string, VisitProfile>,
  browsers: ReadonlyMap<Arrival, StoredBrowser>,
): PlacedVisit[] {
  const readersByProfile = new Map([...profiles.values()].map((profile) => [profile.id, addressReader(profile)]));
  const placed: PlacedVisit[] = [];
  for (const { arrival, visits } of requests) {
    const profile = profiles.get(arrival.profile_id);
    const read = readersByProfile.get(arrival.profile_id);
    const browser = browsers.get(arrival);
    if (!profile || !read || !browser) continue;
    const { visitorId, isErased } = browser;
    for (const { visit, secret } of visits) {
      const { classification, path } = read(visit);
      const touch = arrival.user_agent.is_bot ? null : decideTouch(visit, classification);
      placed.push({ profile, arrival, visitorId, isErased, visit, secret, classification, path, touch });
    }
  }
  return placed;
}

/** Caches classified addresses, because a batch repeats the same pairs of page and referrer. */
function addressReader({ ownHosts, redirectHosts }: VisitProfile) {
  // URLs contain no NUL, so it is a safe separator.
  const read = memoize((pair) => {
    const [url = '', referrer] = pair.split('\0');
    return {
      classification: classifyVisit({ url, referrer, ownHosts, extraRedirectHosts: redirectHosts }),
      path: URL.parse(url)?.pathname ?? '',
    };
  });
  return ({ url, referrer = '' }: Pick<OpenVisit, 'url' | 'referrer'>) => read(`${url}\0${referrer}`);
}
