import { expect, test } from 'vitest';
import { Slots } from './slots.ts';

const forever = new AbortController().signal;

test('grants at most `size` slots, in the order of the requests', async () => {
  const slots = new Slots(2);
  const order: number[] = [];
  const requests = [1, 2, 3, 4].map((number) => slots.acquire(forever).then(() => order.push(number)));
  await Promise.all(requests.slice(0, 2));
  expect([slots.taken, slots.waiting, order]).toEqual([2, 2, [1, 2]]);
  slots.release();
  await requests[2];
  expect(order).toEqual([1, 2, 3]);
  slots.release();
  await requests[3];
  for (let each = 0; each < 2; each += 1) slots.release();
  expect([slots.taken, slots.waiting]).toEqual([0, 0]);
});

test('an aborted request leaves the queue and takes no slot', async () => {
  const slots = new Slots(1);
  await slots.acquire(forever);
  const controller = new AbortController();
  const aborted = slots.acquire(controller.signal);
  const granted = slots.acquire(forever);
  controller.abort(new Error('too long'));
  await expect(aborted).rejects.toThrow('too long');
  slots.release();
  await granted;
  expect([slots.taken, slots.waiting]).toEqual([1, 0]);
  await expect(slots.acquire(controller.signal)).rejects.toThrow('too long');
});
