import type { Ingestion } from './context.ts';
import { eachProfile } from './each-profile.ts';
import type { OpenedRequest } from './open-messages.ts';
import { saveRefused, type VisitProfile } from './store.ts';

/** Step 6. What collectors sent away is written down, so that the profile learns of it. */
export async function countRefused(
  { postgres }: Pick<Ingestion, 'postgres'>,
  requests: readonly OpenedRequest[],
  profiles: ReadonlyMap<string, VisitProfile>,
): Promise<void> {
  const told = requests.flatMap(({ arrival, refused }) => {
    if (!refused || !profiles.has(arrival.profile_id)) return [];
    const of = { profileId: arrival.profile_id, day: refused.day, teller: arrival.client_id };
    return Object.entries(refused.counts).map(([reason, visits]) => ({ ...of, reason, visits }));
  });
  await eachProfile(told, (profileId, theirs) =>
    postgres.forProfile(profileId).transaction((tx) => saveRefused(tx, profileId, theirs)),
  );
}
