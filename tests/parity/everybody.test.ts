import { createScratch, type Scratch } from '@tributary/clickhouse/scratch.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { attributeEverybody, expectedTouchCounts } from './everybody.ts';

let scratch: Scratch;
beforeAll(async () => {
  scratch = await createScratch();
});
afterAll(() => scratch.drop());

// The parity drill measures the time, because it has the machine to itself.
test('attributes a customer with 50,000 touches and 1,000 conversions with less than 2 GB of memory', async () => {
  const { touchCounts, longestPath } = await attributeEverybody(scratch.client);
  expect(touchCounts).toEqual(expectedTouchCounts);
  expect(longestPath).toBe(200);
});
