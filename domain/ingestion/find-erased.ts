import { findTombstones } from '@tributary/domain/customers';
import type { Ingestion } from './context.ts';
import { findBrowsers } from './find-browsers.ts';
import type { Arrival } from './message.ts';
import { hashesNamedIn } from './named-in.ts';
import { findProfiles } from './store.ts';

/** Of what was sent, that which is of somebody who was erased after it came. */
export async function findErased<Sent extends { readonly arrival: Arrival; readonly content: unknown }>(
  ingestion: Pick<Ingestion, 'postgres' | 'visitorKey' | 'tombstones'>,
  sent: readonly Sent[],
): Promise<Sent[]> {
  const { postgres, tombstones } = ingestion;
  const arrivals = sent.map(({ arrival }) => arrival);
  const profiles = await findProfiles(
    postgres.unbound,
    arrivals.map(({ profile_id }) => profile_id),
  );
  const browsers = await findBrowsers(ingestion, arrivals, profiles);
  const suspects = sent.filter(({ arrival }) => profiles.get(arrival.profile_id)?.hasErased);
  const erased = new Set(suspects.filter(({ arrival }) => browsers.get(arrival)?.isErased));
  const rest = Map.groupBy(
    suspects.filter((one) => !erased.has(one)),
    ({ arrival }) => arrival.profile_id,
  );
  for (const [profileId, theirs] of rest) {
    for (let from = 0; from < theirs.length; from += rowsAtOnce) {
      const rows = theirs.slice(from, from + rowsAtOnce).map((one) => ({
        one,
        hashes: hashesNamedIn(tombstones, profileId, one.content),
      }));
      const found = await postgres.forProfile(profileId).transaction((tx) =>
        findTombstones(
          tx,
          profileId,
          rows.flatMap(({ hashes }) => hashes),
        ),
      );
      const graves = new Map(found.map(({ hash, erasedAt }) => [hash.toString('hex'), erasedAt]));
      const isNamed = (receivedAt: Date) => (hash: Buffer) => receivedAt <= (graves.get(hash.toString('hex')) ?? never);
      for (const { one, hashes } of rows) if (hashes.some(isNamed(new Date(one.arrival.received_at)))) erased.add(one);
    }
  }
  return [...erased];
}

/** A row has some dozens of texts, and a text some hashes. */
const rowsAtOnce = 50;
const never = new Date(0);

/** What is no JSON is one text. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
