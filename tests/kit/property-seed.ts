/**
 * Property tests use a random seed on each run, so that they cover more cases over time. CI sets FAST_CHECK_SEED to get the same result twice;
 * FAST_CHECK_RUNS sets the number of cases.
 */
const { FAST_CHECK_SEED: seed, FAST_CHECK_RUNS: runs } = process.env;
if (seed !== undefined || runs !== undefined) {
  const { default: fc } = await import('fast-check');
  fc.configureGlobal({
    ...(seed !== undefined && { seed: Number(seed) }),
    ...(runs !== undefined && { numRuns: Number(runs) }),
  });
}
