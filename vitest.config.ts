import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './tests/kit/longest-first.ts';

/** `TEST_SEED=7 npm test` has files and their tests come in another order, the same for the same number. */
const seed = Number(process.env.TEST_SEED ?? 0);

export default defineConfig({
  test: {
    include: ['{apps,bench,domain,packages,tests}/**/*.test.{ts,tsx}'],
    globalSetup: ['tests/kit/vitest-setup.ts'],
    sequence: { sequencer: LongestFirst, ...(seed > 0 && { shuffle: true, seed }) },
    setupFiles: ['tests/kit/property-seed.ts'],
    // Most files wait for engines and browsers most of the time: more of them than cores can be under way.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    // A file keeps its state in its own fixture and in no module, so the files of one worker can share the modules: to read and
    // evaluate them again for each file took longer than the tests.
    isolate: false,
    // Long enough for a machine that is busy with other work: a limit on what hangs, and no verdict on how fast anything is.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // A wait ends when what it waits for is there; how soon that is depends on what else the machine does.
    // A test that asserts nothing proves nothing: an empty one, or a loop over no rows, fails.
    expect: { poll: { timeout: 40_000 }, requireAssertions: true },
  },
});
