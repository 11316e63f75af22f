import { type Classification, classifyVisit, decideTouch, type Touch } from '@tributary/rules';
import type { StoredBrowser } from './find-browsers.ts';
import type { Arrival } from './message.ts';
import type { OpenedRequest } from './open-messages.ts';
import type { VisitProfile } from './store.ts';
import type { OpenVisit, SecretPart } from './take-visit.ts';

/** A visit with all that follows from it alone. */
export interface PlacedVisit extends StoredBrowser {
  readonly profile: VisitProfile;
  readonly arrival: Arrival;
  readonly visit: OpenVisit;
  readonly secret: SecretPart;
  readonly classification: Classification;
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
  return requests.flatMap(({ arrival, visits }) => {
    const profile = profiles.get(arrival.profile_id);
    const browser = browsers.get(arrival);
    if (!profile || !browser) return [];
    return visits.map(({ visit, secret }) => {
      const classification = classifyVisit({
        url: visit.url,
        referrer: visit.referrer,
        ownHosts: profile.ownHosts,
        extraRedirectHosts: profile.redirectHosts,
      });
      const touch = arrival.user_agent.is_bot ? null : decideTouch(visit, classification);
      return { profile, arrival, ...browser, visit, secret, classification, touch };
    });
  });
}
