import { afterEach, expect, test, vi } from 'vitest';
import { LedgerClock } from './ledger-clock.ts';

const trueTime = Date.parse('2026-11-18T12:00:00Z');
let machineMs = trueTime;
let monotonicMs = 0;
const pass = (milliseconds: number) => {
  machineMs += milliseconds;
  monotonicMs += milliseconds;
};
const open = (skewMs: number) => {
  [machineMs, monotonicMs] = [trueTime + skewMs, 0];
  vi.spyOn(Date, 'now').mockImplementation(() => machineMs);
  vi.spyOn(performance, 'now').mockImplementation(() => monotonicMs);
  return new LedgerClock();
};
afterEach(() => void vi.restoreAllMocks());
const readTruth = async () => trueTime + monotonicMs;

test.each([
  ['a day ahead', 86_400_000],
  ['20 minutes behind', -1_200_000],
  ['two seconds ahead', 2_000],
])('shows PostgreSQL’s time on a machine whose clock is %s', async (_what, skewMs) => {
  const clock = open(skewMs);
  await clock.sync(readTruth);
  pass(3_000);
  expect([clock.now().getTime(), clock.skewMs]).toEqual([trueTime + 3_000, skewMs]);
});

test('ignores a skew of less than a second', async () => {
  const clock = open(900);
  await clock.sync(readTruth);
  expect([clock.now().getTime(), clock.skewMs]).toEqual([machineMs, 900]);
});

test('a step of the machine’s clock between two syncs does not change the time', async () => {
  const clock = open(0);
  await clock.sync(readTruth);
  machineMs += 3_600_000;
  expect([clock.now().getTime(), clock.skewMs]).toEqual([trueTime, 3_600_000]);
  await clock.sync(readTruth);
  expect([clock.now().getTime(), clock.skewMs]).toEqual([trueTime, 3_600_000]);
});

test('subtracts half of the round trip and ignores slow answers', async () => {
  const clock = open(60_000);
  await clock.sync(async () => {
    pass(400);
    const answer = await readTruth();
    pass(400);
    return answer;
  });
  expect(clock.skewMs).toBe(60_000);
  await clock.sync(async () => {
    const answer = await readTruth();
    pass(5_000);
    return answer;
  });
  expect(clock.skewMs).toBe(60_000);
});

test('uses the machine’s clock while PostgreSQL is unavailable', async () => {
  const clock = open(60_000);
  const stop = await clock.follow(() => Promise.reject(new Error('away')));
  expect(clock.now().getTime()).toBe(machineMs);
  stop();
});
