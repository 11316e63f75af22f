import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { registerApp } from '@tributary/domain/tenancy/credentials/module.ts';
import { buildApiKey, buildProfile, operatorOf } from '@tributary/testkit';
import { type Scope, scopes } from '@tributary/vocabulary';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Installation, openInstallation } from './stories/installation.ts';

/** `CONFORMANCE_SECTION` limits the run to one section, for mutants. */
const section = process.env.CONFORMANCE_SECTION;

let installation: Installation;
const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
beforeAll(async () => {
  installation = await openInstallation({ TEST_CLOCK: 'true', WEBHOOK_LOCAL_HOSTS: '127.0.0.1,localhost' });
});
afterAll(async () => {
  await installation?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function credentials() {
  const { kit } = installation;
  const { id } = await buildProfile(kit.app);
  const held = (Object.keys(scopes) as Scope[]).filter(
    (scope) => !['workspaces:write', 'profiles:write'].includes(scope),
  );
  const { secret } = await buildApiKey(kit.app, id, { scopes: held });
  const app = { name: 'Conformance', redirectUris: [], allowedReturnOrigins: [], rateTier: 'internal' } as const;
  const { clientId, clientSecret } = await registerApp(operatorOf(kit), app);
  return { key: secret, app: `${clientId}:${clientSecret}` };
}

/** Runs the command as an operator would; resolves to its exit code and output. */
function run(args: readonly string[]): Promise<{ code: number; output: string }> {
  const main = join(import.meta.dirname, '../../apps/cli/main.ts');
  return new Promise((resolve) => {
    execFile(process.execPath, [main, 'conformance', ...args], { maxBuffer: 1 << 26 }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, output: `${stdout}${stderr}` }),
    );
  });
}

// A run sends over two thousand requests and waits for attribution and deliveries: about a minute and a half.
test('a fresh installation passes every check that can run from outside', { timeout: 600_000 }, async () => {
  const { key, app } = await credentials();
  const file = join(folder, 'report.json');
  const narrowed = section ? ['--section', section] : [];
  const { code, output } = await run([
    '--against',
    installation.baseUrl,
    '--key',
    key,
    '--app',
    app,
    '--report',
    file,
    ...narrowed,
  ]);
  expect(output.split('\n').filter((line) => line.startsWith('FAIL'))).toEqual([]);
  expect(code).toBe(0);
  const text = readFileSync(file, 'utf8');
  const report = JSON.parse(text);
  const tried = report.checks.filter(({ outcome }: { outcome: string }) => outcome === 'not tried');
  expect(tried).toEqual([]);
  for (const secret of [key, app.split(':')[1]]) expect(text).not.toContain(secret);
  expect(existsSync(join(folder, 'report.md'))).toBe(true);
});

test('an invalid key ends the command with its reason', async () => {
  const { code, output } = await run(['--against', installation.baseUrl, '--key', 'trib_live_nothing']);
  expect(code).toBe(1);
  expect(output).toContain('The key does not work');
});
