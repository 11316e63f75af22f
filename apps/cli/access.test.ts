import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { auditEntries, openTestkit, type Testkit } from '@tributary/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';

// Each test gets its own installation, because it asserts the whole audit log.
let kit: Testkit;
beforeEach(async () => {
  kit = await openTestkit();
});
afterEach(() => kit.close());

async function run(...args: string[]) {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(import.meta.dirname, 'main.ts'), ...args, '--json'],
    {
      env: {
        ...process.env,
        DATABASE_APP_URL: kit.database.appUrl,
        DATABASE_OWNER_URL: kit.database.ownerUrl,
        DATABASE_SYSTEM_URL: kit.database.systemUrl,
        BASE_URL: 'http://127.0.0.1',
        ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 1).toString('base64')}`,
      },
    },
  );
  return JSON.parse(stdout);
}

test('commands run the same checks and write the same audit entries as requests, and the audit chains verify', async () => {
  const workspace = await run('workspace', 'create', 'Acme');
  const profile = await run('profile', 'create', workspace.id, 'Shop', '--currency', 'CLP');
  expect(await run('profile', 'privacy', profile.id, 'hipaa')).toMatchObject({ privacyMode: 'hipaa' });
  await expect(run('profile', 'privacy', profile.id, 'secret')).rejects.toThrow();
  const key = await run('key', 'create', profile.id, '--scopes', 'campaigns:read');
  await expect(run('key', 'create', profile.id, '--scopes', 'profiles:write')).rejects.toThrow(/does not hold/);
  const user = await run('user', 'create', 'ana@example.com', 'Ana', '--workspace', workspace.id);
  await run('keys', 'rotate', 'session');
  expect(await run('key', 'list', profile.id)).toMatchObject([{ id: key.id, minted_by_kind: 'operator' }]);

  const entries = await auditEntries(kit, { workspaceId: workspace.id });
  expect(entries.map(({ action, target }) => [action, target])).toEqual([
    ['workspace.created', `workspace:${workspace.id}`],
    ['profile.created', `profile:${profile.id}`],
    ['profile.privacy_changed', `profile:${profile.id}`],
    ['key.created', `api_key:${key.id}`],
    ['member.added', `user:${user.id}`],
  ]);
  const ofInstallation = await auditEntries(kit, 'installation');
  expect(ofInstallation.map(({ action, target }) => [action, target])).toEqual([
    ['account.created', `user:${user.id}`],
    ['key_ring.rotated', 'key_ring:session'],
  ]);
  expect(await run('audit', 'verify')).toMatchObject({ entries: 2, broken_at: null });
  expect(await run('audit', 'verify', workspace.id)).toMatchObject({ entries: 5, broken_at: null });
});

test('init creates a workspace, profile, goals and keys, and prints what to paste', async () => {
  const made = await run('init', 'Panadería Sur', '--email', 'sur@example.com', '--currency', 'CLP');
  expect(made).toMatchObject({ email: 'sur@example.com', api_key: expect.any(String), password: expect.any(String) });
  expect(made.snippet).toMatch(/<script async src="http[^"]+\/t\.js" data-key="[^"]+"><\/script>/);
  const entries = await auditEntries(kit, { workspaceId: made.workspace_id });
  expect(entries.map(({ action }) => action).sort()).toEqual([
    'key.created',
    'member.added',
    'profile.created',
    'tracking_key.created',
    'workspace.created',
  ]);
  await expect(run('init', 'Another', '--email', 'sur@example.com')).rejects.toThrow(/has the address/);
});

test('--version and --help answer without settings', async () => {
  const ask = async (word: string) =>
    (await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'main.ts'), word])).stdout;
  expect(await ask('--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
  const help = await ask('--help');
  for (const name of ['up|dev', 'demo', 'init', 'doctor', 'audit']) expect(help).toContain(`\n  ${name} `);
});
