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
  const scene = open();
  scene.release();
  expect(await scene.check()).toBe('ready');
  scene.setAway(true);
  nowMs = 999;
  expect([await scene.check(), scene.checks()]).toEqual(['ready', 1]);
  nowMs = 1_000;
  expect([await scene.check(), scene.checks()]).toEqual(['not ready', 2]);
});

test('callers that come while a check is under way wait for it, however long it takes', async () => {
  const scene = open();
  const first = scene.check();
  nowMs = 1_900;
  const others = Array.from({ length: 100 }, scene.check);
  scene.release();
  expect(new Set(await Promise.all([first, ...others]))).toEqual(new Set(['ready']));
  expect(scene.checks()).toBe(1);
  nowMs = 2_800;
  await scene.check();
  expect(scene.checks()).toBe(1);
});

test('that the process stops is said at once', async () => {
  const scene = open();
  scene.release();
  expect(await scene.check()).toBe('ready');
  scene.stop();
  expect([await scene.check(), scene.checks()]).toEqual(['stopping', 1]);
});
