import { expect, test } from 'vitest';
import { turnstile } from './turnstile.ts';

test('as many as may are at work, the next wait their turn, and the rest are told to come back', async () => {
  const inTurn = turnstile(2, 3);
  let atWork = 0;
  let most = 0;
  const work = async () => {
    atWork += 1;
    most = Math.max(most, atWork);
    await new Promise((resolve) => setTimeout(resolve, 5));
    atWork -= 1;
    return 'done';
  };
  const flood = await Promise.allSettled(Array.from({ length: 9 }, () => inTurn(work)));
  expect(flood.map(({ status }) => status)).toEqual([...Array(5).fill('fulfilled'), ...Array(4).fill('rejected')]);
  expect(flood.at(-1)).toMatchObject({ reason: { code: 'service_unavailable' } });
  expect(most).toBe(2);
  expect(await inTurn(work)).toBe('done');
});

test('a failure gives its place back', async () => {
  const inTurn = turnstile(1, 1);
  await expect(inTurn(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await inTurn(async () => 'next')).toBe('next');
});
