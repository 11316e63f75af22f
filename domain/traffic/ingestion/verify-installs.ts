import type { Ingestion } from './context.ts';
import { eachProfile } from './each-profile.ts';
import type { PlacedVisit } from './place-visits.ts';

/** Step 10: verifies installations. A visit with a verification nonce proves that the snippet works on that page. */
export async function verifyInstalls(
  { postgres, markVerified, now }: Pick<Ingestion, 'postgres' | 'markVerified' | 'now'>,
  visits: readonly PlacedVisit[],
): Promise<void> {
  const verifications = visits.flatMap(({ profile, visit }) =>
    visit.verification ? [{ profileId: profile.id, nonce: visit.verification }] : [],
  );
  await eachProfile(verifications, async (profileId, nonces) => {
    await postgres.forProfile(profileId).transaction(async (tx) => {
      for (const nonce of new Set(nonces.map((each) => each.nonce))) await markVerified(tx, profileId, nonce, now());
    });
  });
}
