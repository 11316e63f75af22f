import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { buildTracker } from './build.ts';
import { trackerScript } from './index.ts';

test('the script is at most 4 kB when packed; the collector’s test counts the socket’s bytes', async () => {
  expect(gzipSync(await buildTracker()).length).toBeLessThanOrEqual(4_000);
});

test('the script is one closed function that imports nothing and says nothing', async () => {
  const script = await buildTracker();
  expect(script).toMatch(/^\(function\(\)\{.*\}\)\(\);\n?$/s);
  expect(script).not.toMatch(/\bimport\b|\brequire\b|\bconsole\b/);
});

test('the script keeps to words that browsers of 2018 know', async () => {
  expect(await buildTracker()).not.toMatch(
    /\?\?|\?\.[a-z([]|\bcatch\{|#[a-z]+\b[=;(]|\d_\d|\(\?<|\.at\(|\.flatMap\(|replaceAll/,
  );
});

test('what production serves is what the sources make', async () => {
  expect(trackerScript).toBe(await buildTracker());
});
