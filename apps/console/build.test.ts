import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { buildConsole, consoleDirectory } from './build.ts';

beforeAll(() => buildConsole());

const read = (name: string) => readFileSync(join(consoleDirectory, name), 'utf8');
const scripts = () => readdirSync(join(consoleDirectory, 'assets')).filter((name) => name.endsWith('.js'));

test('the page has no inline script or style, as its content security policy requires', () => {
  const page = read('index.html');
  expect(page).toMatch(/<script type="module" crossorigin src="\/assets\/[^"]+\.js"><\/script>/);
  expect(page).not.toMatch(/<script(?![^>]* src=)|<style| style=| on[a-z]+=|https?:/);
});

test('no script contains the contract or zod, and charts are not part of the first load', () => {
  const [first = ''] = read('index.html').match(/[\w-]+\.js/) ?? [];
  for (const name of scripts()) expect(read(`assets/${name}`), name).not.toMatch(/ZodError|"x-required-scopes"/);
  const loadedFirst = read(`assets/${first}`);
  expect(gzipSync(loadedFirst).length).toBeLessThan(120_000);
  expect(loadedFirst).not.toContain('zrender');
  expect(scripts().some((name) => name.startsWith('trend-chart'))).toBe(true);
});

test('each file has a compressed copy beside it', () => {
  const files = readdirSync(join(consoleDirectory, 'assets'));
  const plain = files.filter((name) => /\.(js|css|svg)$/.test(name));
  expect(files).toEqual(expect.arrayContaining(plain.flatMap((name) => [`${name}.br`, `${name}.gz`])));
});
