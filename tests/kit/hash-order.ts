import { createHash } from 'node:crypto';

/** Sorts by hashes of the names: a pseudo-random order that is the same every time. */
export function inHashOrder<One>(all: readonly One[], nameOf: (one: One) => string): One[] {
  const places = new Map(all.map((one) => [one, createHash('sha256').update(nameOf(one)).digest('hex')]));
  return all.toSorted((one, other) => ((places.get(one) ?? '') < (places.get(other) ?? '') ? -1 : 1));
}
