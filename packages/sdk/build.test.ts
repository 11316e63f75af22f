import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { routes } from '@tributary/contract';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

// The compiler shares the machine with every other test.
vi.setConfig({ testTimeout: 60_000 });

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const dist = join(import.meta.dirname, 'dist');
let away: string;

beforeAll(async () => {
  away = mkdtempSync(join(tmpdir(), 'tributary-sdk-'));
  await run(process.execPath, ['build.ts'], { cwd: import.meta.dirname });
});
afterAll(() => rmSync(away, { recursive: true }));

test('the built script is small and imports nothing, so that a browser can take it as it is', () => {
  const script = readFileSync(join(dist, 'index.js'), 'utf8');
  expect(script).not.toMatch(/^\s*import\b|\brequire\(|\bprocess\.|node:|zod/m);
  expect(script.length).toBeLessThan(100_000);
});

test('the built script has every operation', async () => {
  const program = `
    import { createClient } from ${JSON.stringify(join(dist, 'index.js'))};
    console.log(JSON.stringify(Object.keys(createClient({ baseUrl: 'http://127.0.0.1' }))));
  `;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], { cwd: away });
  expect(JSON.parse(stdout)).toEqual(Object.keys(routes));
});

test('the built types hold where only a browser is known', async () => {
  // The lines that must not compile are there because, were the contract's types lost on the way, everything would.
  const use = `
    import { createClient, TributaryError } from ${JSON.stringify(join(dist, 'index.js'))};
    const client = createClient({ baseUrl: '', apiKey: '' });
    const { data } = await client.readProfile();
    export const mode: 'standard' | 'platform_safe' | 'hipaa' = data.privacy_mode;
    // @ts-expect-error
    export const wrong: number = data.privacy_mode;
    // @ts-expect-error
    await client.deleteKey();
    for await (const key of client.listKeys.each({ query: { limit: 5 } })) key.last4.slice(0, 1);
    const error = new Error() as TributaryError;
    if (error.is('profile_limit_reached')) error.fields.upgrade.plan.trim();
  `;
  writeFileSync(join(away, 'use.ts'), use);
  const flags = '--noEmit --strict --target esnext --module esnext --moduleResolution bundler --lib esnext,dom';
  const { stdout } = await run(join(root, 'node_modules/.bin/tsc'), [...flags.split(' '), '--types', '', 'use.ts'], {
    cwd: away,
  }).catch((error: { stdout: string }) => error);
  expect(stdout).toBe('');
});

test('the built manifest can be published', () => {
  const manifest = JSON.parse(readFileSync(join(dist, 'package.json'), 'utf8'));
  expect(manifest).toMatchObject({ name: '@tributary/sdk', license: 'Apache-2.0', type: 'module' });
  expect(manifest).not.toHaveProperty('private');
  expect(Object.keys(manifest.dependencies)).toEqual(['zod']);
});
