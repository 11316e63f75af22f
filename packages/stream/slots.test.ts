import { expect, test } from 'vitest';
import { Slots } from './slots.ts';

const forever = new AbortController().signal;

test('no more than the size are out, and the queue keeps its order', async () => {
  const slots = new Slots(2);
  const order: number[] = [];
  const asked = [1, 2, 3, 4].map((number) => slots.acquire(forever).then(() => order.push(number)));
  await Promise.all(asked.slice(0, 2));
  expect([slots.taken, slots.waiting, order]).toEqual([2, 2, [1, 2]]);
  slots.release();
  await asked[2];
  expect(order).toEqual([1, 2, 3]);
  slots.release();
  await asked[3];
  for (let each = 0; each < 2; each += 1) slots.release();
  expect([slots.taken, slots.waiting]).toEqual([0, 0]);
});

test('one who gives up leaves the queue and takes no slot with him', async () => {
  const slots = new Slots(1);
  await slots.acquire(forever);
  const patience = new AbortController();
  const tired = slots.acquire(patience.signal);
  const patient = slots.acquire(forever);
  patience.abort(new Error('too long'));
  await expect(tired).rejects.toThrow('too long');
  slots.release();
  await patient;
  expect([slots.taken, slots.waiting]).toEqual([1, 0]);
  await expect(slots.acquire(patience.signal)).rejects.toThrow('too long');
});
