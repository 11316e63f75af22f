import type { Ingestion } from './context.ts';
import { eachProfile } from './each-profile.ts';
import type { PlacedVisit } from './place-visits.ts';

/** Step 10. A visit that carries a nonce of ours shows that the snippet works on that page. */
export async function verifyInstalls(
  { postgres, markVerified, now }: Pick<Ingestion, 'postgres' | 'markVerified' | 'now'>,
  visits: readonly PlacedVisit[],
): Promise<void> {
  const shown = visits.flatMap(({ profile, visit }) =>
    visit.verification ? [{ profileId: profile.id, nonce: visit.verification }] : [],
  );
  await eachProfile(shown, async (profileId, nonces) => {
    await postgres.forProfile(profileId).transaction(async (tx) => {
      for (const nonce of new Set(nonces.map((each) => each.nonce))) await markVerified(tx, profileId, nonce, now());
    });
  });
}
