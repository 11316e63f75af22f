import { limits } from '@tributary/vocabulary';
import type { Figure } from './metrics-types.ts';
import type { Readiness } from './readiness.ts';

const closerThan = (skewMs: () => number, mostMs: number) => async () => {
  if (Math.abs(skewMs()) > mostMs) throw new Error('The clock of this machine differs from the clock of PostgreSQL.');
};

/** Clock checks of /readyz. Skew is corrected, but a clock that is far off may be stepping, or PostgreSQL's clock may be wrong. */
export const clockReadiness = (skewMs: () => number): Required<Readiness> => ({
  needs: { clock: closerThan(skewMs, limits.clock.notReadyMs) },
  uses: {
    clock_exact: {
      check: closerThan(skewMs, limits.clock.degradedMs),
      without: 'The clock of this machine is more than a minute off. Times are taken from PostgreSQL; set up NTP.',
    },
  },
});

export const clockFigures = (skewMs: () => number): Readonly<Record<string, Figure>> => ({
  tributary_clock_skew_seconds: {
    help: 'Seconds that the clock of this machine is ahead of the clock of PostgreSQL',
    read: async () => skewMs() / 1_000,
  },
});
