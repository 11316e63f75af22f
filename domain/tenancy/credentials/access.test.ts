import { archiveProfileByOperator } from '@tributary/domain/tenancy/tenants/module.ts';
import { buildApiKey, buildProfile, openTest, operatorOf } from '@tributary/testkit';
import { v7 as uuid } from 'uuid';
import { describe, expect, test } from 'vitest';
import { type Headers, openAccess } from './access.fixture.ts';
import { disableApp } from './module.ts';

const { kit, api } = await openTest();
const access = await openAccess(api);
const { app, call, errorOf, provision, entitlement, mint } = access;

describe('POST /oauth/token', () => {
  const requestToken = (form: Record<string, string>, headers: Headers = {}) =>
    api.fastify.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      payload: new URLSearchParams(form).toString(),
      remoteAddress: '198.51.100.251',
    });

  test('[auth-037] issues an opaque bearer token for one hour, with the secret in the form or in a Basic header', async () => {
    const basic = Buffer.from(`${app.clientId}:${app.clientSecret}`).toString('base64');
    const responses = [
      await requestToken({
        grant_type: 'client_credentials',
        client_id: app.clientId,
        client_secret: app.clientSecret,
      }),
      await requestToken({ grant_type: 'client_credentials' }, { authorization: `Basic ${basic}` }),
    ];
    for (const response of responses) {
      expect(response.statusCode).toBe(200);
      expect(response.json()).toEqual({
        access_token: expect.stringMatching(/^trib_app_/),
        token_type: 'Bearer',
        expires_in: 3600,
        scope: 'profiles:write workspaces:write',
      });
    }
  });

  test.each([
    ['a wrong secret', { client_secret: 'wrong' }],
    ['an unknown app', { client_id: uuid() }],
    ['a client id that is no UUID', { client_id: 'x' }],
  ])('returns 401 for %s', async (_, wrong) => {
    const response = await requestToken({
      grant_type: 'client_credentials',
      client_id: app.clientId,
      client_secret: app.clientSecret,
      ...wrong,
    });
    expect(response.statusCode).toBe(401);
    expect(response.headers['www-authenticate']).toBe('Basic');
    expect(response.json()).toMatchObject({ error: 'invalid_client', code: 'unauthorized' });
  });

  test.each([
    ['no grant_type', { grant_type: undefined }, 'invalid_request', 'validation_error'],
    ['another grant_type', { grant_type: 'password' }, 'unsupported_grant_type', 'invalid_parameter'],
    ['an unknown scope', { scope: 'everything' }, 'invalid_scope', 'validation_error'],
    ['a scope without a profile', { scope: 'analytics' }, 'invalid_scope', 'validation_error'],
  ])('returns an error in the format of RFC 6749 for %s', async (_, wrong, error, code) => {
    const client = { client_id: app.clientId, client_secret: app.clientSecret };
    const form = Object.entries({ grant_type: 'client_credentials', ...client, ...wrong });
    const response = await requestToken(Object.fromEntries(form.filter(([, value]) => value !== undefined)) as never);
    expect([response.statusCode, response.json()]).toEqual([
      400,
      {
        error,
        error_description: expect.any(String),
        error_uri: `https://tributary.test/docs/errors/${code}`,
        code,
        request_id: response.headers['x-request-id'],
      },
    ]);
  });

  test('returns the same error for a foreign profile as for an unknown one', async () => {
    const foreign = await buildProfile(kit.app);
    const responses = await Promise.all(
      [foreign.id, uuid(), 'nonsense'].map((profile_id) =>
        requestToken({
          grant_type: 'client_credentials',
          client_id: app.clientId,
          client_secret: app.clientSecret,
          profile_id,
        }),
      ),
    );
    for (const response of responses)
      expect([response.statusCode, response.json().error_description]).toEqual([400, 'There is no such profile.']);
  });

  test('refuses analytics_pii on a healthcare profile', async () => {
    const { profileId } = await provision({ privacy_mode: 'hipaa' });
    const response = await requestToken({
      grant_type: 'client_credentials',
      client_id: app.clientId,
      client_secret: app.clientSecret,
      profile_id: profileId,
      scope: 'analytics_pii',
    });
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ error: 'invalid_scope', code: 'healthcare_scope_forbidden' });
  });
});

describe('credentials', () => {
  test('[auth-004] [auth-005] [auth-006] accepts a key in the Bearer header; a missing or mistyped key returns 401', async () => {
    const { profileId } = await provision();
    const key = await mint(profileId);
    expect((await call('GET', '/api/v1/profile', key.headers)).status).toBe(200);
    expect(await errorOf(call('GET', '/api/v1/profile', {}))).toEqual([401, 'unauthorized']);
    expect(await errorOf(call('GET', '/api/v1/profile', { authorization: `${key.headers.authorization}x` }))).toEqual([
      401,
      'unauthorized',
    ]);
  });

  test('[auth-007] an expired key or token returns 401', async () => {
    const { profileId } = await provision();
    const expiresAt = new Date(kit.clock.now().getTime() + 60_000).toISOString();
    const key = await mint(profileId, { expires_at: expiresAt });
    const token = await app.token(profileId);
    kit.clock.advance(59_999);
    expect((await call('GET', '/api/v1/profile', key.headers)).status).toBe(200);
    kit.clock.advance(1);
    expect(await errorOf(call('GET', '/api/v1/profile', key.headers))).toEqual([401, 'unauthorized']);
    expect((await call('GET', '/api/v1/profile', token)).status).toBe(200);
    kit.clock.advance(3_600_000);
    expect(await errorOf(call('GET', '/api/v1/profile', token))).toEqual([401, 'unauthorized']);
    access.unbound = await app.token();
  });

  test('[auth-008] a revoked key returns 401 at once', async () => {
    const { profileId } = await provision();
    const key = await mint(profileId);
    const deleted = await call('DELETE', `/api/v1/keys/${key.id}`, await app.token(profileId));
    expect(deleted.body.data).toEqual({ id: key.id, deleted: true });
    expect(await errorOf(call('GET', '/api/v1/profile', key.headers))).toEqual([401, 'unauthorized']);
  });

  test('keys and tokens of a disabled app return 401 at once, those of other apps keep working', async () => {
    const partner = await openAccess(api);
    const { profileId } = await partner.provision();
    const [key, token] = [await partner.mint(profileId), await partner.app.token(profileId)];
    const others = await mint((await provision()).profileId);
    const statuses = () =>
      Promise.all(
        [key.headers, token, others.headers].map(
          async (headers) => (await call('GET', '/api/v1/profile', headers)).status,
        ),
      );
    expect(await statuses()).toEqual([200, 200, 200]);
    await disableApp(operatorOf(kit), partner.app.clientId);
    expect(await statuses()).toEqual([401, 401, 200]);
  });

  test('keys and tokens of a deleted profile return 401 at once', async () => {
    const { profileId } = await provision();
    const [key, token] = [await mint(profileId), await app.token(profileId)];
    expect((await call('GET', '/api/v1/profile', key.headers)).status).toBe(200);
    await archiveProfileByOperator(operatorOf(kit), profileId);
    for (const headers of [key.headers, token])
      expect(await errorOf(call('GET', '/api/v1/profile', headers))).toEqual([401, 'unauthorized']);
  });

  test('[auth-010] [auth-011] narrowing or revoking a grant limits its keys at once', async () => {
    const { profileId } = await provision({ scopes: ['analytics', 'attribution_write'] });
    const key = await mint(profileId);
    await call('PUT', `/api/v1/profiles/${profileId}/grant`, access.unbound, { scopes: ['campaigns_apply'] });
    const narrowed = await call('GET', '/api/v1/profile', key.headers);
    expect(narrowed.body.error).toMatchObject({
      code: 'insufficient_scope',
      status: 403,
      required_scopes: ['campaigns:read'],
    });
    await call('PUT', `/api/v1/profiles/${profileId}/grant`, access.unbound, { scopes: [] });
    expect(await errorOf(call('GET', '/api/v1/profile', key.headers))).toEqual([403, 'insufficient_scope']);
  });

  test('[auth-016] the OAuth scope "connections" grants the connections scopes', async () => {
    const { profileId } = await provision({ scopes: ['connections'] });
    expect((await mint(profileId)).scopes).toEqual(['connections:read', 'connections:write']);
  });

  test('a key cannot have scopes beyond its grant', async () => {
    const { profileId } = await provision({ scopes: ['analytics'] });
    const answer = await call('POST', '/api/v1/keys', await app.token(profileId), {
      scopes: ['campaigns:read', 'goals:write'],
    });
    expect(answer.body.error).toMatchObject({ code: 'insufficient_scope', required_scopes: ['goals:write'] });
  });

  test('the full key is returned once; the list shows only its last four characters', async () => {
    const { profileId } = await provision();
    const token = await app.token(profileId);
    const { body } = await call('POST', '/api/v1/keys', token, { name: 'Warehouse' });
    // Keys that members created are not visible to the app.
    await buildApiKey(kit.app, profileId);
    const list = await call('GET', '/api/v1/keys', token);
    expect(list.body.data).toEqual([
      expect.objectContaining({ id: body.data.id, name: 'Warehouse', last4: body.data.key.slice(-4) }),
    ]);
    expect(JSON.stringify(list.body)).not.toContain(body.data.key);
  });

  test('lists keys in pages, newest first', async () => {
    const { profileId } = await provision();
    const token = await app.token(profileId);
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1)
      ids.unshift((await call('POST', '/api/v1/keys', token, {})).body.data.id);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const { body }: { body: { data: { id: string }[]; pagination: { has_next: boolean; cursor: string | null } } } =
        await call('GET', `/api/v1/keys?limit=2${cursor ? `&cursor=${cursor}` : ''}`, token);
      seen.push(...body.data.map(({ id }) => id));
      cursor = body.pagination.has_next ? body.pagination.cursor : null;
    } while (cursor);
    expect(seen).toEqual(ids);
    for (const limit of ['0', '101', 'x', '-1'])
      expect(await errorOf(call('GET', `/api/v1/keys?limit=${limit}`, token)), limit).toEqual([
        400,
        'invalid_parameter',
      ]);
  });
});

describe('tenant isolation', () => {
  test('[conv-013] [conv-014] [conv-015] a credential belongs to one profile and reads only its data', async () => {
    const [mine, theirs] = [await provision(), await provision()];
    await mint(theirs.profileId, { name: 'theirs' });
    const key = await mint(mine.profileId, { name: 'mine' });
    const { body } = await call('GET', '/api/v1/profile', key.headers);
    expect([body.data.id, body.meta.profile_id]).toEqual([mine.profileId, mine.profileId]);
    const list = await call('GET', '/api/v1/keys', await app.token(mine.profileId));
    expect(list.body.data.map(({ name }: { name: string }) => name)).toEqual(['mine']);
  });

  test('[conv-016] [err-013] deleting a key of another profile returns 404 and leaves the key working', async () => {
    const [mine, theirs] = [await provision(), await provision()];
    const foreign = await mint(theirs.profileId);
    const token = await app.token(mine.profileId);
    expect(await errorOf(call('DELETE', `/api/v1/keys/${foreign.id}`, token))).toEqual([404, 'not_found']);
    expect(await errorOf(call('DELETE', `/api/v1/keys/${uuid()}`, token))).toEqual([404, 'not_found']);
    expect((await call('GET', '/api/v1/profile', foreign.headers)).status).toBe(200);
  });
});

describe('profiles and workspaces', () => {
  test('[auth-025] [auth-027] a profile is created with its privacy mode and returned by GET /profile', async () => {
    const { profileId, workspaceId } = await provision({ privacy_mode: 'platform_safe' });
    const { body } = await call('GET', '/api/v1/profile', await app.token(profileId));
    expect(body.data).toMatchObject({
      id: profileId,
      workspace_id: workspaceId,
      privacy_mode: 'platform_safe',
      is_healthcare_family: true,
    });
    expect(body.meta).toEqual({ profile_id: profileId });
    expect(body.data.readiness.map((step: { step: string }) => step.step)).toContain('crm_or_outcome_source_connected');
  });

  test('[err-066] [lim-031] refuses active profiles beyond the plan of the workspace', async () => {
    const { workspaceId } = await provision();
    const create = () => call('POST', '/api/v1/profiles', access.unbound, { workspace_id: workspaceId, name: 'More' });
    expect([(await create()).status, (await create()).status]).toEqual([201, 201]);
    const refused = await create();
    expect(refused.body.error).toMatchObject({
      code: 'profile_limit_reached',
      status: 403,
      upgrade_required: true,
      upgrade: { plan: 'growth' },
    });
  });

  test('concurrent requests cannot exceed the profile limit', async () => {
    const { workspaceId } = await provision();
    const create = () => call('POST', '/api/v1/profiles', access.unbound, { workspace_id: workspaceId, name: 'More' });
    const statuses = (await Promise.all(Array.from({ length: 6 }, create))).map(({ status }) => status).sort();
    expect(statuses).toEqual([201, 201, 403, 403, 403, 403]);
  });

  test('an app can create profiles only in its own workspaces', async () => {
    const foreign = await buildProfile(kit.app);
    const body = (workspace_id: string) => ({ workspace_id, name: 'Mine' });
    expect(await errorOf(call('POST', '/api/v1/profiles', access.unbound, body(foreign.workspaceId)))).toEqual([
      404,
      'not_found',
    ]);
    expect(await errorOf(call('POST', '/api/v1/profiles', access.unbound, body(uuid())))).toEqual([404, 'not_found']);
  });

  test.each([
    [{ name: '' }, 'name'],
    [{ name: 'x', privacy_mode: 'secret' }, 'privacy_mode'],
    [{ name: 'x', time_zone: 'Mars/Olympus' }, 'time_zone'],
    [{ name: 'x', reporting_currency: 'pesos' }, 'reporting_currency'],
  ])('%j returns 422 and names the field %s', async (body, field) => {
    const { workspaceId } = await provision();
    const answer = await call('POST', '/api/v1/profiles', access.unbound, { workspace_id: workspaceId, ...body });
    expect(answer.body.error).toMatchObject({ code: 'validation_error', status: 422, field });
  });

  test('[auth-026] [auth-029] only the app that created a profile can enable it', async () => {
    const { profileId } = await provision({ enabled: false });
    const other = await (await api.registerApp()).token();
    expect(await errorOf(call('PUT', entitlement(profileId), other, { enabled: true }))).toEqual([404, 'not_found']);
    expect(await errorOf(call('PUT', entitlement(uuid()), access.unbound, { enabled: true }))).toEqual([
      404,
      'not_found',
    ]);
    const { body } = await call('PUT', entitlement(profileId), access.unbound, { enabled: true });
    expect(body).toEqual({ data: { enabled: true, privacy_mode: 'standard' }, meta: { profile_id: profileId } });
  });

  test('a token bound to one profile cannot govern another profile of the same app', async () => {
    const [mine, other] = [await provision(), await provision()];
    const token = await app.token(mine.profileId);
    const govern = async (profileId: string) => [
      await errorOf(call('PUT', entitlement(profileId), token, { enabled: true })),
      await errorOf(call('PUT', `/api/v1/profiles/${profileId}/grant`, token, { scopes: ['analytics'] })),
    ];
    expect(await govern(other.profileId)).toEqual([
      [404, 'not_found'],
      [404, 'not_found'],
    ]);
    expect(await govern(mine.profileId)).toEqual([
      [200, undefined],
      [200, undefined],
    ]);
  });

  test('[auth-030] [auth-031] before the profile is enabled, writes return 409 entitlement_required and reads succeed', async () => {
    const { profileId } = await provision({ enabled: false, scopes: ['analytics_pii', 'attribution_write'] });
    const key = await mint(profileId);
    const write = () => call('POST', '/api/v1/customers', key.headers, { rows: [{ email: 'ana@example.com' }] });
    expect(await errorOf(write())).toEqual([409, 'entitlement_required']);
    const asApp = await app.token(profileId);
    expect(await errorOf(call('POST', '/api/v1/customers', asApp, { rows: [{ email: 'ana@example.com' }] }))).toEqual([
      409,
      'entitlement_required',
    ]);
    expect((await call('GET', '/api/v1/customers/search?q=an', key.headers)).status).toBe(200);
    await call('PUT', entitlement(profileId), access.unbound, { enabled: true });
    expect((await write()).status).toBe(200);
  });

  test('an Idempotency-Key stays valid after the app renews its token', async () => {
    const { profileId } = await provision({ scopes: ['attribution_write'] });
    const send = async () => {
      const headers = { ...(await app.token(profileId)), 'idempotency-key': 'import-1' };
      return (await call('POST', '/api/v1/customers', headers, { rows: [{ email: 'ana@example.com' }] })).body.data;
    };
    const first = await send();
    expect(first.summary).toMatchObject({ created: 1 });
    expect(await send()).toEqual(first);
  });

  test('[auth-014] reading personal data requires an explicit grant', async () => {
    const { profileId } = await provision({
      scopes: ['analytics', 'attribution_write', 'connections', 'campaigns_apply', 'exports'],
    });
    expect(await errorOf(call('GET', '/api/v1/customers/search?q=an', (await mint(profileId)).headers))).toEqual([
      403,
      'insufficient_scope',
    ]);
    await call('PUT', `/api/v1/profiles/${profileId}/grant`, access.unbound, { scopes: ['analytics_pii'] });
    expect((await call('GET', '/api/v1/customers/search?q=an', (await mint(profileId)).headers)).status).toBe(200);
  });

  test('[auth-028] the entitlement sets the privacy mode, after which a grant for personal data is refused', async () => {
    const { profileId } = await provision({ enabled: false });
    await call('PUT', entitlement(profileId), access.unbound, { enabled: true, privacy_mode: 'hipaa' });
    expect(
      await errorOf(call('PUT', `/api/v1/profiles/${profileId}/grant`, access.unbound, { scopes: ['analytics_pii'] })),
    ).toEqual([403, 'healthcare_scope_forbidden']);
  });
});

describe('the audit log', () => {
  test('links each entry to the hash of the previous one', async () => {
    const { workspaceId, profileId } = await provision();
    await mint(profileId);
    const rows = await kit.app
      .forWorkspace(workspaceId)
      .transaction((tx) => tx.selectFrom('audit_log').selectAll().orderBy('sequence').execute());
    expect(rows.map(({ action }) => action)).toEqual([
      'workspace.created',
      'profile.created',
      'entitlement.updated',
      'grant.updated',
      'key.created',
    ]);
    for (const [index, row] of rows.entries()) {
      expect(row.previous_hash.equals(index === 0 ? Buffer.alloc(0) : (rows[index - 1]?.hash ?? Buffer.alloc(0)))).toBe(
        true,
      );
    }
  });

  test('cannot be changed by the API role', async () => {
    const { workspaceId } = await provision();
    const change = kit.app
      .forWorkspace(workspaceId)
      .transaction((tx) => tx.updateTable('audit_log').set({ action: 'nothing' }).execute());
    await expect(change).rejects.toThrow(/permission denied/);
  });
});

test('no log line contains a secret', async () => {
  const { profileId } = await provision();
  await mint(profileId);
  expect(api.logLines.join('\n')).not.toMatch(/trib_(live|app|cs)_/);
});
