/**
 * Property tests throw anew at each run, so that with time they see more. CI decides about a change and must give the same answer
 * twice, so it names its seed; FAST_CHECK_RUNS makes a long search of it.
 */
const { FAST_CHECK_SEED: seed, FAST_CHECK_RUNS: runs } = process.env;
if (seed !== undefined || runs !== undefined) {
  const { default: fc } = await import('fast-check');
  fc.configureGlobal({
    ...(seed !== undefined && { seed: Number(seed) }),
    ...(runs !== undefined && { numRuns: Number(runs) }),
  });
}
