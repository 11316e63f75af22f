import { createScratch, type Scratch } from '@tributary/clickhouse/scratch.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { attributeEverybody, expectedTouchCounts } from './everybody.ts';

let scratch: Scratch;
beforeAll(async () => {
  scratch = await createScratch();
});
afterAll(() => scratch.drop());

// How long it takes is the parity drill's to say, on a machine of its own.
test('a customer with 50,000 touches and 1,000 conversions takes less than 2 GB', async () => {
  const { touchCounts, longestPath } = await attributeEverybody(scratch.client);
  expect(touchCounts).toEqual(expectedTouchCounts);
  expect(longestPath).toBe(200);
});
