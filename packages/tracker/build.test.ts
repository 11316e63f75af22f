import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { buildTracker } from './build.ts';
import { trackerScript } from './index.ts';

test('the script is at most 4 kB compressed; the collector’s test counts the bytes on the socket', async () => {
  expect(gzipSync(await buildTracker()).length).toBeLessThanOrEqual(4_000);
});

test('the script is a single closure without imports or console output', async () => {
  const script = await buildTracker();
  expect(script).toMatch(/^\(function\(\)\{.*\}\)\(\);\n?$/s);
  expect(script).not.toMatch(/\bimport\b|\brequire\b|\bconsole\b/);
});

test('the script uses no syntax newer than ES2018', async () => {
  expect(await buildTracker()).not.toMatch(
    /\?\?|\?\.[a-z([]|\bcatch\{|#[a-z]+\b[=;(]|\d_\d|\(\?<|\.at\(|\.flatMap\(|replaceAll/,
  );
});

test('the committed script matches the sources', async () => {
  expect(trackerScript).toBe(await buildTracker());
});
