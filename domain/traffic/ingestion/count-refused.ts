import type { Ingestion } from './context.ts';
import { eachProfile } from './each-profile.ts';
import type { OpenedRequest } from './open-messages.ts';
import { saveRefused, type VisitProfile } from './store.ts';

/** Step 6: stores how many visits collectors refused, so that the profile can see it. */
export async function countRefused(
  { postgres }: Pick<Ingestion, 'postgres'>,
  requests: readonly OpenedRequest[],
  profiles: ReadonlyMap<string, VisitProfile>,
): Promise<void> {
  const refusals = requests.flatMap(({ arrival, refused }) => {
    if (!refused || !profiles.has(arrival.profile_id)) return [];
    const source = { profileId: arrival.profile_id, day: refused.day, teller: arrival.client_id };
    return Object.entries(refused.counts).map(([reason, visits]) => ({ ...source, reason, visits }));
  });
  await eachProfile(refusals, (profileId, ownRefusals) =>
    postgres.forProfile(profileId).transaction((tx) => saveRefused(tx, profileId, ownRefusals)),
  );
}
