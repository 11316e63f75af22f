import { createHmac } from 'node:crypto';
import {
  type Classification,
  classifyVisit,
  decideTouch,
  type Touch,
  visitorIdMessage,
  visitorIdOf,
} from '@tributary/rules';
import type { Ingestion } from './context.ts';
import type { Arrival } from './message.ts';
import type { OpenedRequest } from './open-messages.ts';
import type { VisitProfile } from './store.ts';
import type { OpenVisit, SecretPart } from './take-visit.ts';

/** A visit with all that follows from it alone. */
export interface PlacedVisit {
  readonly profile: VisitProfile;
  readonly arrival: Arrival;
  readonly visitorId: string;
  readonly visit: OpenVisit;
  readonly secret: SecretPart;
  readonly classification: Classification;
  /** Null where it is none, and always for a robot. */
  readonly touch: Touch | null;
}

/**
 * Step 3. Where each visit came from, whose browser it is and whether it is a touch. From the visit and the profile's settings
 * alone: what came before or after plays no part, so the order of arrival changes nothing.
 */
export function placeVisits(
  { visitorKey }: Pick<Ingestion, 'visitorKey'>,
  requests: readonly OpenedRequest[],
  profiles: ReadonlyMap<string, VisitProfile>,
): PlacedVisit[] {
  const key = visitorKey();
  return requests.flatMap(({ arrival, visits }) => {
    const profile = profiles.get(arrival.profile_id);
    if (!profile) return [];
    const visitorId = visitorOf(key, arrival);
    return visits.map(({ visit, secret }) => {
      const classification = classifyVisit({
        url: visit.url,
        referrer: visit.referrer,
        ownHosts: profile.ownHosts,
        extraRedirectHosts: profile.redirectHosts,
      });
      const touch = arrival.user_agent.is_bot ? null : decideTouch(visit, classification);
      return { profile, arrival, visitorId, visit, secret, classification, touch };
    });
  });
}

/** Erasures raise the generation. */
const generation = 0;

export function visitorOf(key: Buffer, { profile_id, client_id }: Pick<Arrival, 'profile_id' | 'client_id'>): string {
  return visitorIdOf(
    createHmac('sha256', key)
      .update(visitorIdMessage(profile_id, client_id, generation))
      .digest(),
  );
}
