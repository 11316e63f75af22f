import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{apps,bench,domain,packages,tests}/**/*.test.{ts,tsx}'],
    globalSetup: ['packages/testkit/vitest-setup.ts'],
    // Most files wait for engines most of the time; by default one core would be left idle.
    maxWorkers: '100%',
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
