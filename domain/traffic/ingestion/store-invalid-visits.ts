import type { SealedColumn } from '@tributary/vault';
import { v5 as uuidFrom } from 'uuid';
import type { Ingestion } from './context.ts';
import { eachProfile } from './each-profile.ts';
import { findErased, parseOrText } from './find-erased.ts';
import type { Arrival } from './message.ts';
import type { OpenedRequest } from './open-messages.ts';
import { addBadBytes, insertBadVisits, lockBadDay, type VisitProfile } from './store.ts';

/** The encrypted content of an invalid visit: everything that a replay needs to process it as of its arrival. */
export interface BadContent {
  readonly arrival: Arrival;
  /** JSON as the browser sent it. */
  readonly sent: string;
}

/**
 * Step 5: stores invalid visits, encrypted, with their reason. A redelivery produces the same rows. Visits of customers
 * erased meanwhile are not stored again. Beyond a day's byte limit only the reason is stored, so that invalid data
 * cannot fill the database.
 */
export async function storeBadVisits(
  ingestion: Pick<Ingestion, 'postgres' | 'envelopeVault' | 'visitorKey' | 'tombstones' | 'badBytesPerDay'>,
  requests: readonly OpenedRequest[],
  profiles: ReadonlyMap<string, VisitProfile>,
): Promise<void> {
  const bad = requests.flatMap(({ id, arrival, broken }) =>
    broken.map(({ reason, sent }, index) => ({
      profileId: arrival.profile_id,
      id: uuidFrom(`bad_visit:${id}:${index}`, arrival.profile_id),
      reason,
      content: { arrival, sent } satisfies BadContent,
    })),
  );
  const { postgres, envelopeVault, badBytesPerDay } = ingestion;
  const existing = bad.filter(({ profileId }) => profiles.has(profileId));
  const candidates = bad.filter(({ profileId }) => profiles.get(profileId)?.hasErased);
  const checked = candidates.map((row) => ({
    row,
    arrival: row.content.arrival,
    content: parseOrText(row.content.sent),
  }));
  const erased = new Set((await findErased(ingestion, checked)).map(({ row }) => row));
  const stored = existing.filter((row) => !erased.has(row));
  await eachProfile(stored, async (profileId, rows) => {
    const sealed = rows.map(({ id, reason, content }) => ({
      id,
      reason,
      receivedAt: content.arrival.received_at,
      sealed: envelopeVault.seal(JSON.stringify(content), badVisitLocation(profileId, id)),
    }));
    const days = Map.groupBy(sealed, ({ receivedAt }) => receivedAt.slice(0, 10));
    // Every worker locks the days in the same order, which prevents deadlocks.
    for (const [day, ofDay] of [...days].sort(([a], [b]) => (a < b ? -1 : 1)))
      await postgres.forProfile(profileId).transaction(async (tx) => {
        let left = badBytesPerDay - (await lockBadDay(tx, profileId, day));
        const inserted = await insertBadVisits(
          tx,
          profileId,
          ofDay.map((row) => {
            const fits = row.sealed.length <= left;
            if (fits) left -= row.sealed.length;
            return fits ? row : { ...row, sealed: null };
          }),
        );
        await addBadBytes(tx, profileId, day, inserted);
      });
  });
}

export const badVisitLocation = (profileId: string, id: string) => ({
  table: 'bad_visits',
  column: 'sealed',
  row: id,
  profileId,
});

export const sealedBadVisits: SealedColumn = {
  table: 'bad_visits',
  column: 'sealed',
  key: ['profile_id', 'id'],
  place: (profileId, id) => badVisitLocation(profileId, String(id)),
};
