import { byAge } from '@tributary/rules';

/** Customers who are one person, with the oldest, whose id stands for all of them. */
export interface Part {
  readonly rootId: string;
  /** From the oldest to the youngest. */
  readonly memberIds: readonly string[];
}

/** Who is one person by these merges and no others. */
export function partsOf(
  customers: readonly { readonly id: string; readonly createdAt: Date }[],
  merges: readonly { readonly one: string; readonly other: string }[],
): Part[] {
  const neighbours = new Map<string, string[]>(customers.map(({ id }) => [id, []]));
  for (const { one, other } of merges) {
    neighbours.get(one)?.push(other);
    neighbours.get(other)?.push(one);
  }
  const seen = new Set<string>();
  const parts: Part[] = [];
  // Whoever begins a part is its oldest.
  const fromOldest = customers.toSorted(byAge).map(({ id }) => id);
  for (const rootId of fromOldest) {
    if (seen.has(rootId)) continue;
    const members = reached(rootId, neighbours);
    for (const id of members) seen.add(id);
    parts.push({ rootId, memberIds: fromOldest.filter((id) => members.has(id)) });
  }
  return parts;
}

function reached(from: string, neighbours: ReadonlyMap<string, readonly string[]>): Set<string> {
  const found = new Set([from]);
  // A set that grows while it is walked visits what was added.
  for (const id of found) for (const next of neighbours.get(id) ?? []) found.add(next);
  return found;
}
