import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { routes, Scope } from '@tributary/contract';
import { buildApiKey, buildProfile, openApi, openTestkit, openWarehouse } from '@tributary/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tools } from './tools.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const distOf = (name: string) => join(root, 'packages', name, 'dist');
const dist = distOf('sdk');
let outside: string;

beforeAll(async () => {
  outside = mkdtempSync(join(tmpdir(), 'tributary-published-'));
  await run(process.execPath, ['build.ts'], { cwd: join(root, 'packages/sdk') });
  await run(process.execPath, ['build-package.ts'], { cwd: join(root, 'packages/tracker') });
});
afterAll(() => rmSync(outside, { recursive: true }));

test.each([
  ['sdk', 9_000],
  ['tracker', 8_000],
])('the script of %s imports nothing and has at most %i bytes when compressed', (name, maxBytes) => {
  const script = readFileSync(join(distOf(name), 'index.js'), 'utf8');
  expect(script).not.toMatch(/^\s*import\b|\brequire\(|\bprocess\.|node:|zod/m);
  expect(gzipSync(script).length).toBeLessThanOrEqual(maxBytes);
});

const dependenciesOf = Object.entries({ sdk: ['zod'], tracker: [] });
describe.each(dependenciesOf)('the package %s', (name, dependencies) => {
  test('has a publishable manifest', () => {
    const manifest = JSON.parse(readFileSync(join(distOf(name), 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({ name: `@tributary/${name}`, license: 'Apache-2.0', type: 'module' });
    expect(manifest).not.toHaveProperty('private');
    expect(Object.keys(manifest.dependencies ?? {})).toEqual(dependencies);
  });

  test.skipIf(!tools.publint || !tools.attw)('passes publint and are-the-types-wrong', async () => {
    const publint = await run(process.execPath, [String(tools.publint), '--strict', distOf(name)]);
    expect(publint.stdout).toContain('All good!');
    await run('npm', ['pack', '--silent', '--pack-destination', outside, distOf(name)]);
    const packed = join(outside, `tributary-${name}-0.1.0.tgz`);
    // The profile `esm-only` ignores old Node versions without `require` of ES modules, which are not supported.
    const types = await run(process.execPath, [
      String(tools.attw),
      packed,
      '--profile',
      'esm-only',
      '--format',
      'json',
    ]);
    const { problems, analysis } = JSON.parse(types.stdout);
    expect([Object.keys(problems ?? {}), analysis.types.kind]).toEqual([['CJSResolvesToESM'], 'included']);
  });
});

describe('the SDK against a real API', () => {
  let served: { readonly baseUrl: string; readonly key: string; close(): Promise<void> };
  beforeAll(async () => {
    const kit = await openTestkit();
    kit.clock.set(new Date());
    const warehouse = await openWarehouse(kit);
    const profile = await buildProfile(kit.app);
    const key = await buildApiKey(kit.app, profile.id, { scopes: Scope.options });
    const api = await openApi(kit, { clickhouse: warehouse.client });
    const baseUrl = await api.fastify.listen({ host: '127.0.0.1', port: 0 });
    served = {
      baseUrl,
      key: key.secret,
      async close() {
        await api.close();
        await warehouse.drop();
        await kit.close();
      },
    };
  });
  afterAll(() => served?.close());

  const runtimes = [
    { name: 'Node', program: process.execPath, options: [] },
    { name: 'Deno', program: tools.deno, options: ['run', '--allow-net=127.0.0.1', '--allow-read', '--no-prompt'] },
    { name: 'Bun', program: tools.bun, options: ['run'] },
  ];
  const installed = runtimes.flatMap(({ program, ...rest }) => (program ? [{ ...rest, program }] : []));
  test.each(installed)('the smoke test passes on $name', async ({ program, options }) => {
    const story = join(import.meta.dirname, 'smoke.js');
    const { stdout } = await run(program, [...options, story, join(dist, 'index.js'), served.baseUrl, served.key]);
    expect(stdout.trim()).toBe('the whole story');
  });
});

test('the built SDK has every operation', async () => {
  const program = `
    import { createClient } from ${JSON.stringify(join(dist, 'index.js'))};
    console.log(JSON.stringify(Object.keys(createClient({ baseUrl: 'http://127.0.0.1' }))));
  `;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], { cwd: outside });
  expect(JSON.parse(stdout)).toEqual(Object.keys(routes));
});

test('the built types are correct with browser types only', async () => {
  // The lines with @ts-expect-error would compile if the contract's types were lost in the build.
  const use = `
    import { createClient, TributaryError } from ${JSON.stringify(join(dist, 'index.js'))};
    import { startTracker } from ${JSON.stringify(join(distOf('tracker'), 'index.js'))};
    const client = createClient({ baseUrl: '', apiKey: '' });
    const { data } = await client.readProfile();
    export const mode: 'standard' | 'platform_safe' | 'hipaa' = data.privacy_mode;
    // @ts-expect-error
    export const wrong: number = data.privacy_mode;
    // @ts-expect-error
    await client.deleteKey();
    for await (const key of client.listKeys.each({ query: { limit: 5 } })) key.last4.slice(0, 1);
    const event = { event_name: 'payment_received', properties: { value: '19.90', currency: 'USD' } };
    await client.createEvent({ body: { events: [event, event] } });
    // @ts-expect-error
    await client.createEvent({ body: { events: [{ ...event, properties: { value: true } }] } });
    const error = new Error() as TributaryError;
    if (error.is('profile_limit_reached')) error.fields.upgrade.plan.trim();
    startTracker({ key: 'trk_a', collector: '/t', consent: 'required' }).track('trial_started', { plan: 'pro' });
    // @ts-expect-error
    startTracker({ key: 'trk_a' });
  `;
  writeFileSync(join(outside, 'use.ts'), use);
  const flags = '--noEmit --strict --target esnext --module esnext --moduleResolution bundler --lib esnext,dom';
  const { stdout } = await run(join(root, 'node_modules/.bin/tsc'), [...flags.split(' '), '--types', '', 'use.ts'], {
    cwd: outside,
  }).catch((error: { stdout: string }) => error);
  expect(stdout).toBe('');
});
