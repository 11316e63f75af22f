import type { Role } from '@tributary/contract';
import { setPrivacyByOperator } from '@tributary/domain/tenancy/tenants/module.ts';
import { auditEntries, buildMember, openTest, operatorOf, testPassword } from '@tributary/testkit';
import { describe, expect, test } from 'vitest';
import { openAccess } from './access.fixture.ts';
import { createKeyByOperator } from './create-key.ts';

const { kit, api } = await openTest();
const access = await openAccess(api);
const { app, call, errorOf, provision, entitlement, mint } = access;

describe('healthcare-family profiles', () => {
  test.each([
    ['[conv-022]', { isHealthcareAgency: true }],
    ['[conv-023]', { privacy_mode: 'platform_safe' }],
    ['[conv-024]', { privacy_mode: 'hipaa' }],
  ])('[auth-019] [auth-020] [auth-024] %s %j: no grant or key can read personal data', async (_, traits) => {
    const { profileId } = await provision({ ...traits, scopes: ['analytics'] });
    expect(
      await errorOf(call('PUT', `/api/v1/profiles/${profileId}/grant`, access.unbound, { scopes: ['analytics_pii'] })),
    ).toEqual([403, 'healthcare_scope_forbidden']);
    const key = await mint(profileId);
    expect(key.scopes.filter((scope) => scope === 'customers:read' || scope === 'visitors:read')).toEqual([]);
    expect(
      await errorOf(call('POST', '/api/v1/keys', await app.token(profileId), { scopes: ['customers:read'] })),
    ).toEqual([403, 'healthcare_scope_forbidden']);
  });

  test('[auth-023] [auth-024] [conv-026] switching the mode revokes only keys that read personal data, and new keys lack those scopes', async () => {
    const { profileId } = await provision({ scopes: ['analytics_pii', 'attribution_write'] });
    const showsPeople = await mint(profileId);
    const showsCustomers = await mint(profileId, { scopes: ['customers:read'] });
    const showsVisitors = await mint(profileId, { scopes: ['visitors:read', 'campaigns:read'] });
    const showsNone = await mint(profileId, { scopes: ['campaigns:read'] });
    expect(showsPeople.scopes).toContain('customers:read');
    await call('PUT', entitlement(profileId), access.unbound, { enabled: true, privacy_mode: 'platform_safe' });
    for (const { headers } of [showsPeople, showsCustomers, showsVisitors])
      expect(await errorOf(call('GET', '/api/v1/profile', headers))).toEqual([401, 'unauthorized']);
    expect((await call('GET', '/api/v1/profile', showsNone.headers)).status).toBe(200);
    const replacement = await mint(profileId);
    expect(replacement.scopes.filter((scope) => /customers|visitors/.test(scope))).toEqual([]);
    expect(await errorOf(call('GET', '/api/v1/customers/search?q=an', replacement.headers))).toEqual([
      403,
      'insufficient_scope',
    ]);
  });
});

test('[auth-023] marking a workspace as a healthcare agency revokes keys of its profiles that read personal data', async () => {
  const { workspaceId, profileId } = await provision({ scopes: ['analytics_pii'] });
  const [showsPeople, showsNone] = [await mint(profileId), await mint(profileId, { scopes: ['campaigns:read'] })];
  await kit.owner.unbound.transaction((tx) =>
    tx.updateTable('workspaces').set({ is_healthcare_agency: true }).where('id', '=', workspaceId).execute(),
  );
  expect(await errorOf(call('GET', '/api/v1/profile', showsPeople.headers))).toEqual([401, 'unauthorized']);
  expect((await call('GET', '/api/v1/profile', showsNone.headers)).status).toBe(200);
});

describe('privacy mode', () => {
  const grantOf = async (profileId: string) =>
    (
      await kit.app
        .forProfile(profileId)
        .transaction((tx) => tx.selectFrom('grants').select('oauth_scopes').executeTakeFirstOrThrow())
    ).oauth_scopes;
  const set = (profileId: string, privacy_mode: string) =>
    call('PUT', entitlement(profileId), access.unbound, { enabled: true, privacy_mode });
  const asMember = async (workspaceId: string, profileId: string, role: Role, privacy_mode: string) =>
    call('PUT', '/api/v1/profile/privacy', (await buildMember(kit.app, workspaceId, role)).headers({ profileId }), {
      privacy_mode,
      current_password: testPassword,
    });

  test('an app can make a profile more private, never less', async () => {
    const { profileId } = await provision();
    expect((await set(profileId, 'platform_safe')).status).toBe(200);
    expect((await set(profileId, 'hipaa')).body.data.privacy_mode).toBe('hipaa');
    for (const looser of ['standard', 'platform_safe']) {
      const { status, body } = await set(profileId, looser);
      expect([status, body.error.code, body.error.reason]).toEqual([403, 'forbidden', 'privacy_loosened']);
    }
    expect((await set(profileId, 'hipaa')).status).toBe(200);
  });

  test('[auth-028] a refused privacy mode leaves the profile disabled', async () => {
    const { profileId } = await provision({ enabled: false, privacy_mode: 'hipaa' });
    const isEnabled = async () =>
      (
        await kit.app
          .forProfile(profileId)
          .transaction((tx) => tx.selectFrom('profiles').select('is_attribution_enabled').executeTakeFirstOrThrow())
      ).is_attribution_enabled;
    expect((await set(profileId, 'standard')).status).toBe(403);
    expect(await isEnabled()).toBe(false);
    expect((await set(profileId, 'hipaa')).status).toBe(200);
    expect(await isEnabled()).toBe(true);
  });

  test('owners and admins can raise the privacy mode, and only owners can lower it', async () => {
    const { workspaceId, profileId } = await provision({ privacy_mode: 'hipaa' });
    for (const role of ['admin', 'analyst'] as const)
      expect((await asMember(workspaceId, profileId, role, 'standard')).body.error.reason).toBe('role');
    const loosened = await asMember(workspaceId, profileId, 'owner', 'standard');
    expect([loosened.status, loosened.body.data.privacy_mode]).toEqual([200, 'standard']);
    expect((await asMember(workspaceId, profileId, 'admin', 'hipaa')).status).toBe(200);
    const entries = await auditEntries(kit, { workspaceId });
    expect(entries.filter(({ action }) => action === 'profile.privacy_changed').map(({ target }) => target)).toEqual([
      `profile:${profileId}`,
      `profile:${profileId}`,
    ]);
  });

  test('400: loosening requires the current password, tightening does not', async () => {
    const { workspaceId, profileId } = await provision();
    const headers = (await buildMember(kit.app, workspaceId, 'owner')).headers({ profileId });
    const switchTo = (body: object) => call('PUT', '/api/v1/profile/privacy', headers, body);
    expect((await switchTo({ privacy_mode: 'hipaa' })).status).toBe(200);
    expect(await errorOf(switchTo({ privacy_mode: 'standard' }))).toEqual([400, 'current_password_required']);
    const wrong = { privacy_mode: 'standard', current_password: 'another otter lamp' };
    expect(await errorOf(switchTo(wrong))).toEqual([400, 'current_password_invalid']);
    expect((await switchTo({ ...wrong, current_password: testPassword })).status).toBe(200);
  });

  test('removes analytics_pii from grants permanently, until it is granted again', async () => {
    const { workspaceId, profileId } = await provision({ scopes: ['analytics_pii', 'attribution_write'] });
    await set(profileId, 'hipaa');
    expect(await grantOf(profileId)).toEqual(['analytics', 'attribution_write']);
    await asMember(workspaceId, profileId, 'owner', 'standard');
    expect((await mint(profileId)).scopes).not.toContain('customers:read');
    const grant = { scopes: ['analytics_pii'] };
    expect((await call('PUT', `/api/v1/profiles/${profileId}/grant`, access.unbound, grant)).status).toBe(200);
    expect((await mint(profileId)).scopes).toContain('customers:read');
  });

  test('removes analytics_pii on all profiles when the workspace becomes a healthcare agency', async () => {
    const { workspaceId, profileId } = await provision({ scopes: ['analytics', 'analytics_pii'] });
    await kit.app
      .forWorkspace(workspaceId)
      .transaction((tx) => tx.updateTable('workspaces').set({ is_healthcare_agency: true }).execute());
    expect(await grantOf(profileId)).toEqual(['analytics']);
  });

  test('[auth-022] [err-024] refuses keys for personal data on a healthcare profile, for owner and operator alike', async () => {
    const { workspaceId, profileId } = await provision({ privacy_mode: 'hipaa' });
    const owner = (await buildMember(kit.app, workspaceId, 'owner')).headers({ profileId });
    const requested = { scopes: ['campaigns:read', 'customers:read'] };
    expect(await errorOf(call('POST', '/api/v1/keys', owner, requested))).toEqual([403, 'healthcare_scope_forbidden']);
    const created = await call('POST', '/api/v1/keys', owner, {});
    expect(created.body.data.scopes).not.toContain('customers:read');
    const operator = operatorOf(kit);
    await expect(createKeyByOperator(operator, profileId, { scopes: ['visitors:read'] })).rejects.toMatchObject({
      code: 'healthcare_scope_forbidden',
    });
    await setPrivacyByOperator(operator, profileId, 'standard');
    expect(await createKeyByOperator(operator, profileId, { scopes: ['visitors:read'] })).toHaveProperty('key');
  });
});
