import { expect, test } from 'vitest';
import { Inbox } from './inbox.ts';

test('a full batch is given at once, the rest later', async () => {
  const inbox = new Inbox<number>();
  for (const item of [1, 2, 3]) inbox.add(item);
  expect(await inbox.take(2, 60_000)).toEqual([1, 2]);
  expect(await inbox.take(2, 5)).toEqual([3]);
});

test('a batch that is not full waits for more, and no longer than told', async () => {
  const inbox = new Inbox<number>();
  const batch = inbox.take(10, 50);
  inbox.add(1);
  setTimeout(() => inbox.add(2), 5);
  expect(await batch).toEqual([1, 2]);
});

test('whoever fills it waits for room', async () => {
  const inbox = new Inbox<number>();
  for (const item of [1, 2]) inbox.add(item);
  let roomy = false;
  const room = inbox.roomBelow(2).then(() => {
    roomy = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(roomy).toBe(false);
  await inbox.take(1, 0);
  await room;
});

test('closing lets everybody go, empty-handed', async () => {
  const inbox = new Inbox<number>();
  const batch = inbox.take(2, 60_000);
  inbox.add(1);
  inbox.close();
  expect(await batch).toEqual([]);
  await inbox.roomBelow(0);
});
