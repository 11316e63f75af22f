import { expect, test } from 'vitest';
import { limitConcurrency } from './limit-concurrency.ts';

test('runs up to the limit concurrently, queues the next, and refuses the rest', async () => {
  const limited = limitConcurrency(2, 3);
  let running = 0;
  let most = 0;
  const work = async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, 5));
    running -= 1;
    return 'done';
  };
  const flood = await Promise.allSettled(Array.from({ length: 9 }, () => limited(work)));
  expect(flood.map(({ status }) => status)).toEqual([...Array(5).fill('fulfilled'), ...Array(4).fill('rejected')]);
  expect(flood.at(-1)).toMatchObject({ reason: { code: 'service_unavailable' } });
  expect(most).toBe(2);
  expect(await limited(work)).toBe('done');
});

test('a failure frees its slot', async () => {
  const limited = limitConcurrency(1, 1);
  await expect(limited(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await limited(async () => 'next')).toBe('next');
});
