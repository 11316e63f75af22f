import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Position, ScannedOutcome } from './goal-reader.ts';
import { walkGoal } from './walk-goal.ts';

const row = (time: number, isGoal: boolean): ScannedOutcome => ({
  at: new Date(time),
  id: String(time),
  isGoal,
  customerId: null,
  visitorId: null,
  amount: null,
  isUnconverted: false,
  revenueType: 'pipeline',
});

test('pages contain all matching outcomes in order, and no page exceeds the scan limit', async () => {
  const market = fc.array(fc.record({ isGoal: fc.boolean(), isWanted: fc.boolean() }), { maxLength: 300 });
  await fc.assert(
    fc.asyncProperty(
      market,
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 100 }),
      async (rows, limit, most) => {
        // Newest first: the last generated row has the latest time.
        const all = rows.map(({ isGoal }, index) => row(index, isGoal)).reverse();
        const isWanted = ({ at }: ScannedOutcome) => rows[at.getTime()]?.isWanted === true;
        const found: ScannedOutcome[] = [];
        let from: Position = { at: new Date(rows.length), id: '' };
        for (let pages = 0; ; pages += 1) {
          let scanned = 0;
          const page = await walkGoal({
            from,
            limit,
            most,
            read: async (before, step) => {
              const range = all.filter(({ at }) => at < before.at).slice(0, step);
              scanned += range.length;
              return { outcomes: range, scannedCount: range.length, isEnd: range.length < step };
            },
            keep: async (some) => some.filter(isWanted),
          });
          expect(scanned).toBeLessThanOrEqual(most + Math.max(4 * most, limit + 1));
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
