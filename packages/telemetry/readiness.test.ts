import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readinessChecker } from './index.ts';

let nowMs = 0;
beforeEach(() => {
  nowMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
});
afterEach(() => void vi.restoreAllMocks());

function open() {
  let checks = 0;
  let isAway = false;
  let isStopping = false;
  let release = Promise.withResolvers<void>();
  const check = readinessChecker(
    {
      needs: {
        store: async () => {
          checks += 1;
          await release.promise;
          if (isAway) throw new Error('away');
        },
      },
    },
    () => isStopping,
  );
  return {
    check: async () => (await check()).body.status,
    checks: () => checks,
    hold: () => {
      release = Promise.withResolvers();
    },
    release: () => release.resolve(),
    setAway: (value: boolean) => {
      isAway = value;
    },
    stop: () => {
      isStopping = true;
    },
  };
}

test('callers share one check for a second', async () => {
  const readiness = open();
  readiness.release();
  expect(await readiness.check()).toBe('ready');
  readiness.setAway(true);
  nowMs = 999;
  expect([await readiness.check(), readiness.checks()]).toEqual(['ready', 1]);
  nowMs = 1_000;
  expect([await readiness.check(), readiness.checks()]).toEqual(['not ready', 2]);
});

test('callers during a running check wait for its result, however long it takes', async () => {
  const readiness = open();
  const first = readiness.check();
  nowMs = 1_900;
  const others = Array.from({ length: 100 }, readiness.check);
  readiness.release();
  expect(new Set(await Promise.all([first, ...others]))).toEqual(new Set(['ready']));
  expect(readiness.checks()).toBe(1);
  nowMs = 2_800;
  await readiness.check();
  expect(readiness.checks()).toBe(1);
});

test('reports `stopping` at once', async () => {
  const readiness = open();
  readiness.release();
  expect(await readiness.check()).toBe('ready');
  readiness.stop();
  expect([await readiness.check(), readiness.checks()]).toEqual(['stopping', 1]);
});
