import { type Classification, classifyVisit, decideTouch, type Touch } from '@tributary/rules';
import type { StoredBrowser } from './find-browsers.ts';
import type { Arrival } from './message.ts';
import type { OpenedRequest } from './open-messages.ts';
import { remembering } from './remembering.ts';
import type { VisitProfile } from './store.ts';
import type { OpenVisit, SecretPart } from './take-visit.ts';

/** A visit with all that follows from it alone. */
export interface PlacedVisit extends StoredBrowser {
  readonly profile: VisitProfile;
  readonly arrival: Arrival;
  readonly visit: OpenVisit;
  readonly secret: SecretPart;
  readonly classification: Classification;
  /** Of its page. */
  readonly path: string;
  /** Null where it is none, and always for a robot. */
  readonly touch: Touch | null;
}

/**
 * Step 4. Where each visit came from and whether it is a touch. From the visit and the profile's settings alone: what came before or
 * after plays no part, so the order of arrival changes nothing.
 */
export function placeVisits(
  requests: readonly OpenedRequest[],
  profiles: ReadonlyMap<string, VisitProfile>,
  browsers: ReadonlyMap<Arrival, StoredBrowser>,
): PlacedVisit[] {
  const readersOf = new Map([...profiles.values()].map((profile) => [profile.id, addressReader(profile)]));
  const placed: PlacedVisit[] = [];
  for (const { arrival, visits } of requests) {
    const profile = profiles.get(arrival.profile_id);
    const read = readersOf.get(arrival.profile_id);
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

/** People go from page to page of one site: a batch has each pair of addresses many times, and it is read once. */
function addressReader({ ownHosts, redirectHosts }: VisitProfile) {
  // No address has a NUL in it.
  const read = remembering((pair) => {
    const [url = '', referrer] = pair.split('\0');
    return {
      classification: classifyVisit({ url, referrer, ownHosts, extraRedirectHosts: redirectHosts }),
      path: URL.parse(url)?.pathname ?? '',
    };
  });
  return ({ url, referrer = '' }: Pick<OpenVisit, 'url' | 'referrer'>) => read(`${url}\0${referrer}`);
}
