import {
  auditEntries,
  buildMember,
  buildProfile,
  openApi,
  openTestkit,
  operatorOf,
  type TestApi,
  type Testkit,
  testPassword,
} from '@tributary/testkit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  createKeyByOperator,
  disableApp,
  listApps,
  listKeysOfProfile,
  registerApp,
  resetAppSecret,
  revokeKeyByOperator,
  updateApp,
} from './module.ts';
import { listLiveViews } from './shared-view-store.ts';
import { listLiveKeys } from './store.ts';

let kit: Testkit;
let api: TestApi;
let profile: { id: string; workspaceId: string };
beforeAll(async () => {
  kit = await openTestkit();
  api = await openApi(kit);
});
afterAll(async () => {
  await api.close();
  await kit.close();
});
beforeEach(async () => {
  profile = await buildProfile(kit.app);
});

const inWorkspace = () => auditEntries(kit, { workspaceId: profile.workspaceId });
const minterOf = (keyId: string) =>
  kit.app
    .forProfile(profile.id)
    .transaction((tx) =>
      tx
        .selectFrom('api_keys')
        .select(['minted_by_kind', 'minted_by_id'])
        .where('id', '=', keyId)
        .executeTakeFirstOrThrow(),
    );

test('an operator key writes the same audit entries as a request and records its creator', async () => {
  const operator = operatorOf(kit);
  const { id } = await createKeyByOperator(operator, profile.id, { scopes: ['campaigns:read'] });
  await revokeKeyByOperator(operator, profile.id, id);
  const by = { actor_kind: 'operator', actor_id: 'cli', result: 'done', target: `api_key:${id}`, request_id: 'cli' };
  expect(await inWorkspace()).toEqual([
    { ...by, action: 'key.created', detail: { scopes: ['campaigns:read'] } },
    { ...by, action: 'key.revoked', detail: {} },
  ]);
  expect(await minterOf(id)).toEqual({ minted_by_kind: 'operator', minted_by_id: 'cli' });
  await expect(revokeKeyByOperator(operator, profile.id, id)).rejects.toThrow(/no such live key/);
});

test('a member key records the member who created it', async () => {
  const owner = await buildMember(kit.app, profile.workspaceId);
  const { statusCode, ...answer } = await api.fastify.inject({
    method: 'POST',
    url: '/api/v1/keys',
    headers: { ...owner.headers({ profileId: profile.id }), 'content-type': 'application/json' },
    payload: {},
  });
  expect(statusCode).toBe(201);
  expect(await minterOf(answer.json().data.id)).toEqual({ minted_by_kind: 'user', minted_by_id: owner.userId });
});

test('a member’s key needs explicit scopes to read personal data or change ads, and the password for personal data', async () => {
  const owner = await buildMember(kit.app, profile.workspaceId);
  const create = async (payload: object) => {
    const response = await api.fastify.inject({
      method: 'POST',
      url: '/api/v1/keys',
      headers: { ...owner.headers({ profileId: profile.id }), 'content-type': 'application/json' },
      payload,
    });
    const { data, error } = response.json();
    return error?.code ?? data.scopes;
  };
  const defaultScopes = await create({});
  for (const scope of ['customers:read', 'visitors:read', 'campaigns:apply'])
    expect(defaultScopes).not.toContain(scope);
  expect(defaultScopes).toContain('campaigns:read');
  expect(await create({ scopes: ['campaigns:apply'] })).toEqual(['campaigns:apply']);
  const scopes = ['customers:read'];
  expect(await create({ scopes })).toBe('current_password_required');
  expect(await create({ scopes, current_password: 'another otter lamp' })).toBe('current_password_invalid');
  expect(await create({ scopes, current_password: testPassword })).toEqual(scopes);
});

test('operator input is validated like a request', async () => {
  const operator = operatorOf(kit);
  const create = (sent: object) => createKeyByOperator(operator, profile.id, sent);
  await expect(create({ scopes: ['everything'] })).rejects.toThrow(/"scopes/);
  await expect(create({ rate_limit_per_minute: 0 })).rejects.toThrow(/"rate_limit_per_minute"/);
  await expect(create({ scopes: ['profiles:write'] })).rejects.toThrow(/does not hold profiles:write/);
  const unknownProfile = createKeyByOperator(operator, '01a00000-0000-7000-8000-000000000000', {});
  await expect(unknownProfile).rejects.toThrow(/no such profile/);
  expect(await inWorkspace()).toEqual([]);
});

test('resetting an app secret revokes the tokens issued with the old one', async () => {
  const app = await api.registerApp();
  const other = await api.registerApp();
  const [token, otherToken] = [await app.token(), await other.token()];
  const create = async (headers: Record<string, string>) =>
    (await api.call({ method: 'POST', url: '/api/v1/workspaces', headers, payload: { name: 'W' } })).statusCode;
  expect([await create(token), await create(otherToken)]).toEqual([201, 201]);
  await resetAppSecret(operatorOf(kit), app.clientId);
  expect([await create(token), await create(otherToken)]).toEqual([401, 201]);
});

test('changes to apps are written to the installation audit log', async () => {
  const operator = operatorOf(kit);
  const app = { name: 'Partner', redirectUris: [], allowedReturnOrigins: [], rateTier: 'standard' as const };
  const { clientId } = await registerApp(operator, app);
  await resetAppSecret(operator, clientId);
  await updateApp(operator, clientId, { name: 'Partner 2' });
  await disableApp(operator, clientId);
  await expect(disableApp(operator, clientId)).rejects.toThrow(/no live app/);
  const entries = (await auditEntries(kit, 'installation')).filter(({ target }) => target === `app:${clientId}`);
  expect(entries.map(({ actor_kind, action }) => [actor_kind, action])).toEqual([
    ['operator', 'app.registered'],
    ['operator', 'app.secret_reset'],
    ['operator', 'app.updated'],
    ['operator', 'app.disabled'],
  ]);
});

test('updates only the given fields of an app and normalises origins', async () => {
  const operator = operatorOf(kit);
  const app = { name: 'Partner', redirectUris: ['https://a.test/cb'], rateTier: 'standard' as const };
  const { clientId } = await registerApp(operator, { ...app, allowedReturnOrigins: ['https://B.test:443/path'] });
  const read = async () =>
    (await operator.ledger.transaction((tx) => listApps(tx, 1_000))).find(({ id }) => id === clientId);
  expect(await read()).toMatchObject({ allowed_return_origins: ['https://b.test'] });
  await updateApp(operator, clientId, { allowedReturnOrigins: ['-https://a.test/', 'http://localhost:3000'] });
  expect(await read()).toMatchObject({
    name: 'Partner',
    redirect_uris: ['https://a.test/cb'],
    allowed_return_origins: ['-https://a.test', 'http://localhost:3000'],
  });
  await updateApp(operator, clientId, { redirectUris: [''], rateTier: 'elevated' });
  expect(await read()).toMatchObject({ redirect_uris: [], rate_tier: 'elevated' });
  for (const wrong of ['a.test', 'javascript:alert(1)', '-', 'myapp://x'])
    await expect(updateApp(operator, clientId, { allowedReturnOrigins: [wrong] })).rejects.toThrow(/no origin/);
  await expect(updateApp(operator, clientId, {})).rejects.toThrow(/what is to be changed/);
  await disableApp(operator, clientId);
  await expect(updateApp(operator, clientId, { name: 'x' })).rejects.toThrow(/no live app/);
});

test('the lists of apps, keys and shared links have at most the requested length', async () => {
  const operator = operatorOf(kit);
  const owner = await buildMember(kit.app, profile.workspaceId);
  const app = { name: 'Partner', redirectUris: [], allowedReturnOrigins: [], rateTier: 'standard' as const };
  const headers = { ...owner.headers({ profileId: profile.id }), 'content-type': 'application/json' };
  const view = { name: 'June', page: 'campaigns', date_from: '2026-06-01', date_to: '2026-06-30' };
  for (let made = 0; made < 3; made += 1) {
    await registerApp(operator, app);
    await createKeyByOperator(operator, profile.id, {});
    const shared = { method: 'POST', url: '/api/v1/shared-views', headers, payload: view } as const;
    expect((await api.fastify.inject(shared)).statusCode).toBe(201);
  }
  const now = kit.clock.now();
  const lists = async (limit: number) => [
    await operator.ledger.transaction((tx) => listApps(tx, limit)),
    ...(await kit.app
      .forProfile(profile.id)
      .transaction(async (tx) => [
        await listKeysOfProfile(tx, profile.id, limit),
        await listLiveKeys(tx, profile.id, { before: undefined, limit }),
        await listLiveViews(tx, profile.id, { before: undefined, limit, now }),
      ])),
  ];
  const idsOf = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id);
  const [whole, cut] = [(await lists(1_000)).map(idsOf), (await lists(2)).map(idsOf)];
  for (const list of whole) expect(list.length).toBeGreaterThanOrEqual(3);
  expect(cut).toEqual(whole.map((list) => list.slice(0, 2)));
  // Apps in the order of their ids, the rest newest first.
  const [apps = [], ...others] = whole;
  expect(apps).toEqual(apps.toSorted());
  for (const list of others) expect(list).toEqual(list.toSorted().reverse());
});
