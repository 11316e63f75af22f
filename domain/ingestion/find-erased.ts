import { findsNamingErased } from '@tributary/domain/customers';
import type { Ingestion } from './context.ts';
import { findBrowsers } from './find-browsers.ts';
import type { Arrival } from './message.ts';
import { findProfiles } from './store.ts';

/** Of what was sent, that which is of somebody who was erased after it came. */
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
  const suspects = sent.filter(({ arrival }) => profiles.get(arrival.profile_id)?.hasErased);
  const erased = new Set(suspects.filter(({ arrival }) => browsers.get(arrival)?.isErased));
  const rest = Map.groupBy(
    suspects.filter((one) => !erased.has(one)),
    ({ arrival }) => arrival.profile_id,
  );
  const findNaming = findsNamingErased(postgres, tombstones);
  for (const [profileId, theirs] of rest) {
    const rows = theirs.map((one) => ({ one, content: one.content, at: new Date(one.arrival.received_at) }));
    for (const { one } of await findNaming(profileId, rows)) erased.add(one);
  }
  return [...erased];
}

/** What is no JSON is one text. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
