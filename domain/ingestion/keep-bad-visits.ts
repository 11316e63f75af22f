import type { SealedColumn } from '@tributary/vault';
import { v5 as uuidFrom } from 'uuid';
import type { Ingestion } from './context.ts';
import { eachProfile } from './each-profile.ts';
import { findErased, parsed } from './find-erased.ts';
import type { Arrival } from './message.ts';
import type { OpenedRequest } from './open-messages.ts';
import { insertBadVisits, noteBadBytes, openBadDay, type VisitProfile } from './store.ts';

/** What a bad row holds under its seal: all that a replay needs to treat it as if it came now. */
export interface BadContent {
  readonly arrival: Arrival;
  /** JSON, as the browser sent it. */
  readonly sent: string;
}

/**
 * Step 5. What could not be understood stays, sealed, with its reason. A redelivery gives the same rows; but what is of somebody who
 * was erased meanwhile does not come back. Past a day's bytes only the reason stays, so that nobody fills the ledger with nonsense.
 */
export async function keepBadVisits(
  ingestion: Pick<Ingestion, 'postgres' | 'envelopeVault' | 'visitorKey' | 'tombstones' | 'badBytesPerDay'>,
  requests: readonly OpenedRequest[],
  profiles: ReadonlyMap<string, VisitProfile>,
): Promise<void> {
  const bad = requests.flatMap(({ id, arrival, broken }) =>
    broken.map(({ reason, sent }, place) => ({
      profileId: arrival.profile_id,
      id: uuidFrom(`bad_visit:${id}:${place}`, arrival.profile_id),
      reason,
      content: { arrival, sent } satisfies BadContent,
    })),
  );
  const { postgres, envelopeVault, badBytesPerDay } = ingestion;
  const known = bad.filter(({ profileId }) => profiles.has(profileId));
  const suspects = known.filter(({ profileId }) => profiles.get(profileId)?.hasErased);
  const looked = suspects.map((row) => ({ row, arrival: row.content.arrival, content: parsed(row.content.sent) }));
  const gone = new Set((await findErased(ingestion, looked)).map(({ row }) => row));
  const kept = known.filter((row) => !gone.has(row));
  await eachProfile(kept, async (profileId, rows) => {
    const sealed = rows.map(({ id, reason, content }) => ({
      id,
      reason,
      receivedAt: content.arrival.received_at,
      sealed: envelopeVault.seal(JSON.stringify(content), placeOfBadVisit(profileId, id)),
    }));
    const days = Map.groupBy(sealed, ({ receivedAt }) => receivedAt.slice(0, 10));
    // In one order for every worker, because each day is locked.
    for (const [day, theirs] of [...days].sort(([a], [b]) => (a < b ? -1 : 1)))
      await postgres.forProfile(profileId).transaction(async (tx) => {
        let left = badBytesPerDay - (await openBadDay(tx, profileId, day));
        const inserted = await insertBadVisits(
          tx,
          profileId,
          theirs.map((row) => {
            const fits = row.sealed.length <= left;
            if (fits) left -= row.sealed.length;
            return fits ? row : { ...row, sealed: null };
          }),
        );
        await noteBadBytes(tx, profileId, day, inserted);
      });
  });
}

export const placeOfBadVisit = (profileId: string, id: string) => ({
  table: 'bad_visits',
  column: 'sealed',
  row: id,
  profileId,
});

export const sealedBadVisits: SealedColumn = {
  table: 'bad_visits',
  column: 'sealed',
  key: ['profile_id', 'id'],
  place: (profileId, id) => placeOfBadVisit(profileId, String(id)),
};
