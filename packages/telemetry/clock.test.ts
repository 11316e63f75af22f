import { limits } from '@tributary/vocabulary';
import { expect, test } from 'vitest';
import { clockFigures, clockReadiness, readinessChecker } from './index.ts';

const { degradedMs, notReadyMs } = limits.clock;

test.each([
  [0, 'ready'],
  [degradedMs, 'ready'],
  [-degradedMs, 'ready'],
  [degradedMs + 1, 'degraded'],
  [-degradedMs - 1, 'degraded'],
  [notReadyMs, 'degraded'],
  [-notReadyMs, 'degraded'],
  [notReadyMs + 1, 'not ready'],
  [-notReadyMs - 1, 'not ready'],
])('with a skew of %i ms the process is %s', async (skewMs, status) => {
  const check = readinessChecker(
    clockReadiness(() => skewMs),
    () => false,
  );
  expect((await check()).body.status).toBe(status);
});

test.each([
  [0, 0],
  [2_500, 2.5],
  [-40, -0.04],
])('a skew of %i ms is reported as %d seconds', async (skewMs, seconds) => {
  const { tributary_clock_skew_seconds: figure } = clockFigures(() => skewMs);
  if (!figure || !('read' in figure)) return expect.unreachable();
  expect(await figure.read()).toBe(seconds);
});
