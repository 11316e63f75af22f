import { expect, test } from 'vitest';
import { Inbox } from './inbox.ts';

test('take returns a full batch at once, and the rest after the wait', async () => {
  const inbox = new Inbox<number>();
  for (const item of [1, 2, 3]) inbox.add(item);
  expect(await inbox.take(2, 60_000)).toEqual([1, 2]);
  expect(await inbox.take(2, 5)).toEqual([3]);
});

test('take waits for more items, but no longer than waitMs', async () => {
  const inbox = new Inbox<number>();
  const batch = inbox.take(10, 50);
  inbox.add(1);
  setTimeout(() => inbox.add(2), 5);
  expect(await batch).toEqual([1, 2]);
});

test('untilBelow waits until the inbox has space', async () => {
  const inbox = new Inbox<number>();
  for (const item of [1, 2]) inbox.add(item);
  let hasSpace = false;
  const waiting = inbox.untilBelow(2).then(() => {
    hasSpace = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(hasSpace).toBe(false);
  await inbox.take(1, 0);
  await waiting;
});

test('close ends all waits and drops the items', async () => {
  const inbox = new Inbox<number>();
  const batch = inbox.take(2, 60_000);
  inbox.add(1);
  inbox.close();
  expect(await batch).toEqual([]);
  await inbox.untilBelow(0);
});
