import { createScratch, type Scratch } from '@tributary/clickhouse/scratch.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compareJourneys } from './compare.ts';
import { journeys } from './journeys.ts';

let scratch: Scratch;
beforeAll(async () => {
  scratch = await createScratch();
});
afterAll(() => scratch.drop());

test('the ClickHouse query and the reference rules agree on 500 random journeys', async () => {
  const sample = fc.sample(journeys(), { seed: 7, numRuns: 500 });
  expect(await compareJourneys(scratch.client, sample)).toEqual([]);
});

test('they also agree on long journeys, whose path is the first touch and the last 199', async () => {
  const sample = fc.sample(journeys(400), { seed: 11, numRuns: 12 });
  expect(await compareJourneys(scratch.client, sample)).toEqual([]);
});
