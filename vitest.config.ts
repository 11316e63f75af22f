import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{apps,bench,domain,packages,tests}/**/*.test.{ts,tsx}'],
    globalSetup: ['packages/testkit/vitest-setup.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
