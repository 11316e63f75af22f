import { tryOpen } from '@tributary/vault';
import { sql } from 'kysely';
import type { Ingestion } from './context.ts';
import { findErased, parsed } from './find-erased.ts';
import { type BadContent, placeOfBadVisit } from './keep-bad-visits.ts';
import type { Arrival } from './message.ts';
import { type BadVisitRow, readBadVisits } from './store.ts';

/** What opens all that was kept because it could not be read. */
export type Opening = Pick<Ingestion, 'postgres' | 'visitorKey' | 'tombstones' | 'envelopeVault' | 'streamVault'>;

export interface OpenedBadVisit {
  readonly id: string;
  readonly arrival: Arrival;
  readonly content: unknown;
}

const batchSize = 500;

/** A batch after the other, but for rows that no key opens. Those that were taken up again are among them: they still hold what was sent. */
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
      const opened = tryOpen(() => envelopeVault.open(sealed, placeOfBadVisit(profileId, id)));
      if (opened === undefined) return [];
      const { arrival, sent } = JSON.parse(opened) as BadContent;
      return [{ id, arrival, content: parsed(sent) }];
    });
  }
}

/** Deletes bad rows that are of somebody who was erased, by the browser that sent them or by whom they name. Resolves to how many. */
export async function forgetBadVisits(opening: Opening, profileId: string, signal: AbortSignal): Promise<number> {
  let forgotten = 0;
  for await (const batch of openBadVisits(opening, profileId)) {
    signal.throwIfAborted();
    const ids = (await findErased(opening, batch)).map(({ id }) => id);
    if (ids.length > 0)
      await opening.postgres
        .forProfile(profileId)
        .transaction((tx) =>
          sql`DELETE FROM bad_visits WHERE profile_id = ${profileId} AND id = ANY (${ids}::uuid[])`.execute(tx),
        );
    forgotten += ids.length;
  }
  return forgotten;
}
