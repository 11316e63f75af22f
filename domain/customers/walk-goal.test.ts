import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LookedAt, Position } from './goal-reader.ts';
import { walkGoal } from './walk-goal.ts';

const row = (place: number, isGoal: boolean): LookedAt => ({
  at: new Date(place),
  id: String(place),
  isGoal,
  customerId: null,
  visitorId: null,
  amount: null,
  isUnconverted: false,
  revenueType: 'pipeline',
});

test('whatever is wanted of however many, its pages are all of it, in order, and each looks at no more than it may', async () => {
  const market = fc.array(fc.record({ isGoal: fc.boolean(), isWanted: fc.boolean() }), { maxLength: 300 });
  await fc.assert(
    fc.asyncProperty(
      market,
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 100 }),
      async (rows, limit, most) => {
        // Newest first: the last of the list has the highest place.
        const all = rows.map(({ isGoal }, index) => row(index, isGoal)).reverse();
        const isWanted = ({ at }: LookedAt) => rows[at.getTime()]?.isWanted === true;
        const found: LookedAt[] = [];
        let from: Position = { at: new Date(rows.length), id: '' };
        for (let pages = 0; ; pages += 1) {
          let looked = 0;
          const page = await walkGoal({
            from,
            limit,
            most,
            read: async (before, step) => {
              const stretch = all.filter(({ at }) => at < before.at).slice(0, step);
              looked += stretch.length;
              return { looked: stretch, seen: stretch.length, isEnd: stretch.length < step };
            },
            keep: async (some) => some.filter(isWanted),
          });
          expect(looked).toBeLessThanOrEqual(most + Math.max(4 * most, limit + 1));
          expect(page.found.length).toBeLessThanOrEqual(limit);
          found.push(...page.found);
          if (!page.isMore) {
            expect(page.through).toEqual(page.found.at(-1) ?? null);
            break;
          }
          if (page.through === null) throw new Error('There is more, and no way to it.');
          expect(page.through.at.getTime()).toBeLessThan(from.at.getTime());
          from = page.through;
          expect(pages).toBeLessThan(rows.length + 1);
        }
        expect(found).toEqual(all.filter((one) => one.isGoal && isWanted(one)));
      },
    ),
  );
});
