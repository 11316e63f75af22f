import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lastUntil, merged, partsOf } from './page.ts';

interface Event {
  readonly at: number;
  readonly name: string;
}

/** Sources with many equal times, each in its own order. */
const sources = fc
  .array(fc.array(fc.nat(5), { maxLength: 12 }), { minLength: 1, maxLength: 4 })
  .map((lists) =>
    lists.map((times, source) =>
      times.sort((a, b) => a - b).map((at, index): Event => ({ at, name: `${source}.${index}` })),
    ),
  );

/** Reads a page like the timeline does: the first times of each source, then the parts that follow from them. */
function pageOf(lists: readonly (readonly Event[])[], offset: number, limit: number): string[] {
  const counted = lists.map((list) => ({
    count: list.length,
    times: list.slice(0, offset + limit).map(({ at }) => at),
  }));
  const parts = partsOf(counted, { offset, limit });
  return merged(
    lists.map((list, index) =>
      list.slice(parts[index]?.offset, (parts[index]?.offset ?? 0) + (parts[index]?.limit ?? 0)),
    ),
  ).map(({ name }) => name);
}

test('pages of any size together contain all events in order, each once', () => {
  fc.assert(
    fc.property(sources, fc.integer({ min: 1, max: 7 }), (lists, limit) => {
      const all = lists.flat().sort((a, b) => a.at - b.at);
      const pages: string[] = [];
      for (let offset = 0; offset < all.length; offset += limit) pages.push(...pageOf(lists, offset, limit));
      expect(pages).toEqual(all.map(({ name }) => name));
    }),
  );
});

test('a page beyond the end is empty', () => {
  expect(pageOf([[{ at: 1, name: 'a' }], []], 5, 10)).toEqual([]);
});

test('finds the last time up to a moment', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20)), fc.nat(20), (times, at) => {
      const sorted = times.toSorted((a, b) => a - b);
      expect(lastUntil(sorted, at)).toBe(sorted.findLast((time) => time <= at));
    }),
  );
});
