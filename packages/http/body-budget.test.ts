import { expect, test } from 'vitest';
import { BodyBudget } from './body-budget.ts';

/** Opens a body and says whether it had to go. */
function body(budget: BodyBudget, sender: string) {
  const held = { isGone: false };
  return Object.assign(
    budget.open(sender, () => {
      held.isGone = true;
    }),
    { held },
  );
}

test('what has come counts, until it is released', () => {
  const budget = new BodyBudget({ inAll: 100, perSender: 60 });
  const one = body(budget, 'a');
  expect([one.add(30), one.add(30), budget.heldBytes]).toEqual([true, true, 60]);
  one.release();
  one.release();
  expect([one.add(1), budget.heldBytes]).toEqual([false, 0]);
});

test('a sender has so much and no more, over all of its bodies', () => {
  const budget = new BodyBudget({ inAll: 100, perSender: 60 });
  const [one, two] = [body(budget, 'a'), body(budget, 'a')];
  expect([one.add(50), two.add(11), one.add(10)]).toEqual([true, false, true]);
  expect(budget.heldBytes).toBe(60);
});

test('when all is taken, whoever holds the most gives up the body that came last', () => {
  const budget = new BodyBudget({ inAll: 100, perSender: 80 });
  const greedy = Array.from({ length: 4 }, () => body(budget, 'greedy'));
  for (const each of greedy) each.add(20);
  const modest = body(budget, 'modest');
  expect(modest.add(30)).toBe(true);
  expect(greedy.map(({ held }) => held.isGone)).toEqual([false, false, false, true]);
  expect(budget.heldBytes).toBe(90);
});

test('what is here whole is not given up; then whoever comes is', () => {
  const budget = new BodyBudget({ inAll: 100, perSender: 100 });
  const whole = body(budget, 'greedy');
  whole.add(90);
  whole.complete();
  const late = body(budget, 'modest');
  expect([late.add(20), whole.held.isGone, budget.heldBytes]).toEqual([false, false, 90]);
});
