import { createErasedMentionFinder } from '@tributary/domain/commerce/customers';
import type { Ingestion } from './context.ts';
import { findBrowsers } from './find-browsers.ts';
import type { Arrival } from './message.ts';
import { findProfiles } from './store.ts';

/** Returns the items whose customer was erased after they arrived, by browser or by identifiers in the content. */
export async function findErased<Sent extends { readonly arrival: Arrival; readonly content: unknown }>(
  ingestion: Pick<Ingestion, 'postgres' | 'visitorKey' | 'tombstones'>,
  sent: readonly Sent[],
): Promise<Sent[]> {
  const { postgres, tombstones } = ingestion;
  const arrivals = sent.map(({ arrival }) => arrival);
  const profiles = await findProfiles(
    postgres,
    arrivals.map(({ profile_id }) => profile_id),
  );
  const browsers = await findBrowsers(ingestion, arrivals, profiles);
  const candidates = sent.filter(({ arrival }) => profiles.get(arrival.profile_id)?.hasErased);
  const erased = new Set(candidates.filter(({ arrival }) => browsers.get(arrival)?.isErased));
  const rest = Map.groupBy(
    candidates.filter((one) => !erased.has(one)),
    ({ arrival }) => arrival.profile_id,
  );
  const findNaming = createErasedMentionFinder(postgres, tombstones);
  for (const [profileId, ownSuspects] of rest) {
    const rows = ownSuspects.map((one) => ({ one, content: one.content, at: new Date(one.arrival.received_at) }));
    for (const { one } of await findNaming(profileId, rows)) erased.add(one);
  }
  return [...erased];
}

/** Parses JSON; invalid JSON is returned as text. */
export function parseOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
