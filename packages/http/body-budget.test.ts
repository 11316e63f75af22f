import { expect, test } from 'vitest';
import { BodyBudget } from './body-budget.ts';

/** Opens a body and records whether the budget evicted it. */
function body(budget: BodyBudget, sender: string) {
  const entry = { isEvicted: false };
  return Object.assign(
    budget.open(sender, () => {
      entry.isEvicted = true;
    }),
    { entry },
  );
}

test('counts received bytes until the body is released', () => {
  const budget = new BodyBudget({ inAll: 100, perSender: 60 });
  const one = body(budget, 'a');
  expect([one.add(30), one.add(30), budget.heldBytes]).toEqual([true, true, 60]);
  one.release();
  one.release();
  expect([one.add(1), budget.heldBytes]).toEqual([false, 0]);
});

test('limits the bytes of one sender across all of its bodies', () => {
  const budget = new BodyBudget({ inAll: 100, perSender: 60 });
  const [one, two] = [body(budget, 'a'), body(budget, 'a')];
  expect([one.add(50), two.add(11), one.add(10)]).toEqual([true, false, true]);
  expect(budget.heldBytes).toBe(60);
});

test('evicts the newest body of the sender with the most bytes when the total is exceeded', () => {
  const budget = new BodyBudget({ inAll: 100, perSender: 80 });
  const greedy = Array.from({ length: 4 }, () => body(budget, 'greedy'));
  for (const each of greedy) each.add(20);
  const modest = body(budget, 'modest');
  expect(modest.add(30)).toBe(true);
  expect(greedy.map(({ entry }) => entry.isEvicted)).toEqual([false, false, false, true]);
  expect(budget.heldBytes).toBe(90);
});

test('rejects a new body rather than evict one that has been received in full', () => {
  const budget = new BodyBudget({ inAll: 100, perSender: 100 });
  const whole = body(budget, 'greedy');
  whole.add(90);
  whole.complete();
  const late = body(budget, 'modest');
  expect([late.add(20), whole.entry.isEvicted, budget.heldBytes]).toEqual([false, false, 90]);
});
