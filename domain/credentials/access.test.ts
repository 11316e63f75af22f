import { archiveProfileByOperator } from '@tributary/domain/tenants/room.ts';
import { buildApiKey, buildProfile, openTest, operatorOf } from '@tributary/testkit';
import { v7 as uuid } from 'uuid';
import { describe, expect, test } from 'vitest';
import { type Headers, openAccess } from './access.fixture.ts';
import { disableApp } from './room.ts';

const { kit, api } = await openTest();
const access = await openAccess(api);
const { app, call, errorOf, provision, entitlement, mint } = access;

describe('POST /oauth/token', () => {
  const ask = (form: Record<string, string>, headers: Headers = {}) =>
    api.fastify.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      payload: new URLSearchParams(form).toString(),
      remoteAddress: '198.51.100.251',
    });

  test('[auth-037] gives an opaque bearer token for an hour, with the secret in the form or in a Basic header', async () => {
    const basic = Buffer.from(`${app.clientId}:${app.clientSecret}`).toString('base64');
    const answers = [
      await ask({ grant_type: 'client_credentials', client_id: app.clientId, client_secret: app.clientSecret }),
      await ask({ grant_type: 'client_credentials' }, { authorization: `Basic ${basic}` }),
    ];
    for (const response of answers) {
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
    ['no app at all', { client_id: 'x' }],
  ])('%s is 401', async (_, wrong) => {
    const response = await ask({
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
  ])('tells errors as RFC 6749 does: %s', async (_, wrong, error, code) => {
    const client = { client_id: app.clientId, client_secret: app.clientSecret };
    const form = Object.entries({ grant_type: 'client_credentials', ...client, ...wrong });
    const response = await ask(Object.fromEntries(form.filter(([, value]) => value !== undefined)) as never);
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

  test('a profile of somebody else answers like one that never was', async () => {
    const foreign = await buildProfile(kit.app);
    const answers = await Promise.all(
      [foreign.id, uuid(), 'nonsense'].map((profile_id) =>
        ask({ grant_type: 'client_credentials', client_id: app.clientId, client_secret: app.clientSecret, profile_id }),
      ),
    );
    for (const response of answers)
      expect([response.statusCode, response.json().error_description]).toEqual([400, 'There is no such profile.']);
  });

  test('people of a healthcare profile are out of scope', async () => {
    const { profileId } = await provision({ privacy_mode: 'hipaa' });
    const response = await ask({
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
  test('[auth-004] [auth-005] [auth-006] a key in the Bearer header is accepted; none, or a misspelt one, is 401', async () => {
    const { profileId } = await provision();
    const key = await mint(profileId);
    expect((await call('GET', '/api/v1/profile', key.headers)).status).toBe(200);
    expect(await errorOf(call('GET', '/api/v1/profile', {}))).toEqual([401, 'unauthorized']);
    expect(await errorOf(call('GET', '/api/v1/profile', { authorization: `${key.headers.authorization}x` }))).toEqual([
      401,
      'unauthorized',
    ]);
  });

  test('[auth-007] an expired key or token is 401', async () => {
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

  test('[auth-008] a revoked key is 401 at once', async () => {
    const { profileId } = await provision();
    const key = await mint(profileId);
    const deleted = await call('DELETE', `/api/v1/keys/${key.id}`, await app.token(profileId));
    expect(deleted.body.data).toEqual({ id: key.id, deleted: true });
    expect(await errorOf(call('GET', '/api/v1/profile', key.headers))).toEqual([401, 'unauthorized']);
  });

  test('the keys and tokens of an app that was disabled are 401 at once, those of others are not', async () => {
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

  test('the keys and tokens of a profile that was deleted are 401 at once', async () => {
    const { profileId } = await provision();
    const [key, token] = [await mint(profileId), await app.token(profileId)];
    expect((await call('GET', '/api/v1/profile', key.headers)).status).toBe(200);
    await archiveProfileByOperator(operatorOf(kit), profileId);
    for (const headers of [key.headers, token])
      expect(await errorOf(call('GET', '/api/v1/profile', headers))).toEqual([401, 'unauthorized']);
  });

  test('[auth-010] [auth-011] a narrowed grant narrows its keys at once, and a revoked one ends them', async () => {
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

  test('[auth-016] the connections scopes come through the scope "connections"', async () => {
    const { profileId } = await provision({ scopes: ['connections'] });
    expect((await mint(profileId)).scopes).toEqual(['connections:read', 'connections:write']);
  });

  test('a key cannot hold more than its grant', async () => {
    const { profileId } = await provision({ scopes: ['analytics'] });
    const answer = await call('POST', '/api/v1/keys', await app.token(profileId), {
      scopes: ['campaigns:read', 'goals:write'],
    });
    expect(answer.body.error).toMatchObject({ code: 'insufficient_scope', required_scopes: ['goals:write'] });
  });

  test('a key is shown once; the list tells it by its ends', async () => {
    const { profileId } = await provision();
    const token = await app.token(profileId);
    const { body } = await call('POST', '/api/v1/keys', token, { name: 'Warehouse' });
    // What a member made for themselves is no business of the app's.
    await buildApiKey(kit.app, profileId);
    const list = await call('GET', '/api/v1/keys', token);
    expect(list.body.data).toEqual([
      expect.objectContaining({ id: body.data.id, name: 'Warehouse', last4: body.data.key.slice(-4) }),
    ]);
    expect(JSON.stringify(list.body)).not.toContain(body.data.key);
  });

  test('keys are listed a page at a time, newest first', async () => {
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

describe('the wall between profiles', () => {
  test('[conv-013] [conv-014] [conv-015] a credential speaks for one profile and reads only what is there', async () => {
    const [mine, theirs] = [await provision(), await provision()];
    await mint(theirs.profileId, { name: 'theirs' });
    const key = await mint(mine.profileId, { name: 'mine' });
    const { body } = await call('GET', '/api/v1/profile', key.headers);
    expect([body.data.id, body.meta.profile_id]).toEqual([mine.profileId, mine.profileId]);
    const list = await call('GET', '/api/v1/keys', await app.token(mine.profileId));
    expect(list.body.data.map(({ name }: { name: string }) => name)).toEqual(['mine']);
  });

  test('[conv-016] [err-013] a write names only what is its own: another profile’s key answers like none, and lives on', async () => {
    const [mine, theirs] = [await provision(), await provision()];
    const foreign = await mint(theirs.profileId);
    const token = await app.token(mine.profileId);
    expect(await errorOf(call('DELETE', `/api/v1/keys/${foreign.id}`, token))).toEqual([404, 'not_found']);
    expect(await errorOf(call('DELETE', `/api/v1/keys/${uuid()}`, token))).toEqual([404, 'not_found']);
    expect((await call('GET', '/api/v1/profile', foreign.headers)).status).toBe(200);
  });
});

describe('tenancy', () => {
  test('[auth-025] [auth-027] a profile is created with its privacy mode, and answers for itself', async () => {
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

  test('[err-066] [lim-031] a workspace takes as many active profiles as its plan includes', async () => {
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

  test('two requests at once do not both take the last place', async () => {
    const { workspaceId } = await provision();
    const create = () => call('POST', '/api/v1/profiles', access.unbound, { workspace_id: workspaceId, name: 'More' });
    const statuses = (await Promise.all(Array.from({ length: 6 }, create))).map(({ status }) => status).sort();
    expect(statuses).toEqual([201, 201, 403, 403, 403, 403]);
  });

  test('an app puts profiles only into workspaces of its own', async () => {
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
  ])('%j is 422 and names %s', async (body, field) => {
    const { workspaceId } = await provision();
    const answer = await call('POST', '/api/v1/profiles', access.unbound, { workspace_id: workspaceId, ...body });
    expect(answer.body.error).toMatchObject({ code: 'validation_error', status: 422, field });
  });

  test('[auth-026] [auth-029] the app that made a profile enables it, and no other app can', async () => {
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

  test('a token for one profile governs no other, though the same app made both', async () => {
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

  test('[auth-030] [auth-031] until then writes are 409 entitlement_required, and reads are not', async () => {
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

  test('an app whose token was renewed is the same caller: its Idempotency-Key is answered once', async () => {
    const { profileId } = await provision({ scopes: ['attribution_write'] });
    const send = async () => {
      const headers = { ...(await app.token(profileId)), 'idempotency-key': 'import-1' };
      return (await call('POST', '/api/v1/customers', headers, { rows: [{ email: 'ana@example.com' }] })).body.data;
    };
    const first = await send();
    expect(first.summary).toMatchObject({ created: 1 });
    expect(await send()).toEqual(first);
  });

  test('[auth-014] seeing people takes an explicit grant', async () => {
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

  test('[auth-028] the entitlement sets privacy first: with people asked for, the grant is refused afterwards', async () => {
    const { profileId } = await provision({ enabled: false });
    await call('PUT', entitlement(profileId), access.unbound, { enabled: true, privacy_mode: 'hipaa' });
    expect(
      await errorOf(call('PUT', `/api/v1/profiles/${profileId}/grant`, access.unbound, { scopes: ['analytics_pii'] })),
    ).toEqual([403, 'healthcare_scope_forbidden']);
  });
});

describe('the audit log', () => {
  test('chains what was done, and a change of any entry shows', async () => {
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

  test('nobody who serves requests can change it', async () => {
    const { workspaceId } = await provision();
    const change = kit.app
      .forWorkspace(workspaceId)
      .transaction((tx) => tx.updateTable('audit_log').set({ action: 'nothing' }).execute());
    await expect(change).rejects.toThrow(/permission denied/);
  });
});

test('no secret is in a log line', async () => {
  const { profileId } = await provision();
  await mint(profileId);
  expect(api.logLines.join('\n')).not.toMatch(/trib_(live|app|cs)_/);
});
