import { afterAll, beforeAll, expect, test } from 'vitest';
import { dropOldVisits } from './drop-old-visits.ts';
import { raw } from './queries.ts';
import { createScratch, type Scratch } from './scratch.ts';
import { visit } from './visit.fixture.ts';

let scratch: Scratch;
beforeAll(async () => {
  scratch = await createScratch();
});
afterAll(() => scratch.drop());

const days = async () =>
  (
    await scratch.client.query(
      raw<{ day: string }>('SELECT toString(toDate(occurred_at)) AS day FROM visits ORDER BY day'),
      {},
    )
  ).map(({ day }) => day);

test('drops a quarter when its last day is older than the retention, and nothing without a setting', async () => {
  const visits = ['2025-12-31', '2026-01-01', '2026-03-31', '2026-04-01'].map((day) =>
    visit({ occurred_at: new Date(`${day}T12:00:00Z`) }),
  );
  await scratch.client.insert('visits', visits);
  const drop = (life: number | undefined, now: string) =>
    dropOldVisits(scratch.settings, life, new Date(now), new AbortController().signal);
  await drop(undefined, '2036-01-01T00:00:00Z');
  await drop(90, '2026-03-31T23:59:59Z');
  expect(await days()).toEqual(['2025-12-31', '2026-01-01', '2026-03-31', '2026-04-01']);
  await drop(90, '2026-04-01T00:00:00Z');
  expect(await days()).toEqual(['2026-01-01', '2026-03-31', '2026-04-01']);
  await drop(90, '2026-06-30T00:00:00Z');
  await drop(90, '2026-06-30T00:00:00Z');
  expect(await days()).toEqual(['2026-04-01']);
});
