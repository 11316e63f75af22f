import { tryOpen } from '@tributary/vault';
import { sql } from 'kysely';
import type { Ingestion } from './context.ts';
import { findErased, parseOrText } from './find-erased.ts';
import type { Arrival } from './message.ts';
import { type BadVisitRow, readBadVisits } from './store.ts';
import { type BadContent, badVisitLocation } from './store-invalid-visits.ts';

/** The services needed to decrypt invalid visits and dead letters. */
export type Opening = Pick<Ingestion, 'postgres' | 'visitorKey' | 'tombstones' | 'envelopeVault' | 'streamVault'>;

export interface OpenedBadVisit {
  readonly id: string;
  readonly arrival: Arrival;
  readonly content: unknown;
}

const batchSize = 500;

/**
 * Yields invalid visits in batches, without rows that no key decrypts. Includes replayed rows, since they still hold
 * the original data.
 */
export async function* openBadVisits(
  { postgres, envelopeVault }: Pick<Opening, 'postgres' | 'envelopeVault'>,
  profileId: string,
): AsyncIterable<OpenedBadVisit[]> {
  let last: BadVisitRow | undefined;
  while (true) {
    const rows = await postgres
      .forProfile(profileId)
      .transaction((tx) => readBadVisits(tx, profileId, last, batchSize, { withReplayed: true }));
    last = rows.at(-1);
    if (!last) return;
    yield rows.flatMap(({ id, sealed }) => {
      const opened = tryOpen(() => envelopeVault.open(sealed, badVisitLocation(profileId, id)));
      if (opened === undefined) return [];
      const { arrival, sent } = JSON.parse(opened) as BadContent;
      return [{ id, arrival, content: parseOrText(sent) }];
    });
  }
}

/**
 * Deletes invalid visits of erased customers, found by their browser or by identifiers in the content. Resolves to
 * their number.
 */
export async function eraseBadVisits(opening: Opening, profileId: string, signal: AbortSignal): Promise<number> {
  let deleted = 0;
  for await (const batch of openBadVisits(opening, profileId)) {
    signal.throwIfAborted();
    const ids = (await findErased(opening, batch)).map(({ id }) => id);
    if (ids.length > 0)
      await opening.postgres
        .forProfile(profileId)
        .transaction((tx) =>
          sql`DELETE FROM bad_visits WHERE profile_id = ${profileId} AND id = ANY (${ids}::uuid[])`.execute(tx),
        );
    deleted += ids.length;
  }
  return deleted;
}
