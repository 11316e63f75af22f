import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{apps,bench,domain,packages,tests}/**/*.test.{ts,tsx}'],
    globalSetup: ['tests/kit/vitest-setup.ts'],
    // Most files wait for engines and browsers most of the time: more of them than cores can be under way.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    // Long enough for a machine that is busy with other work: a limit on what hangs, and no verdict on how fast anything is.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A wait ends when what it waits for is there; how soon that is depends on what else the machine does.
    // A test that asserts nothing proves nothing: an empty one, or a loop over no rows, fails.
    expect: { poll: { timeout: 40_000 }, requireAssertions: true },
  },
});
