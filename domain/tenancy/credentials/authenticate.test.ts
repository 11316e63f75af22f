import { type Route, routes, Scope } from '@tributary/contract';
import { buildApiKey, buildMember, buildProfile, openTestWithClickHouse } from '@tributary/testkit';
import { dayMs, limits } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { bearerAuthenticator } from './authenticate.ts';
import { CredentialFinder } from './find-credentials.ts';
import { sharedOperations } from './shared-view.ts';

const { kit, api } = await openTestWithClickHouse();

describe('a key created under an older attribution grant', () => {
  test('can connect providers only until the swap window closes', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const { clientId: appId } = await api.registerApp();
    await kit.app.withScope({ profileId, appId }).transaction((tx) =>
      tx
        .insertInto('grants')
        .values({
          profile_id: profileId,
          app_id: appId,
          oauth_scopes: ['attribution_write'],
          created_at: kit.clock.now(),
          updated_at: kit.clock.now(),
        })
        .execute(),
    );
    const { secret } = await buildApiKey(kit.app, profileId, { appId, scopes: Scope.options });
    const until = new Date('2026-06-01T00:00:00Z');
    const authenticate = bearerAuthenticator({
      credentials: new CredentialFinder(kit.app.allShards),
      isSwapWindowOpen: (now) => now < until,
    });
    const scopesAt = async (now: Date) => [...((await authenticate(`Bearer ${secret}`, now))?.scopes ?? [])].sort();
    const within = await scopesAt(new Date(until.getTime() - 1));
    expect(within).toEqual(['attribution:write', 'connections:read', 'connections:write', 'goals:write']);
    expect(await scopesAt(until)).toEqual(['attribution:write', 'goals:write']);
  });
});

test('lookups that share a batch use the latest time of the batch', async () => {
  const queriedAt: Date[] = [];
  const releases: (() => void)[] = [];
  const ledger = {
    query: async (statement: (shard: string) => { compile(executor: unknown): { parameters: readonly unknown[] } }) => {
      const { parameters } = statement('home').compile(kit.app.database);
      queriedAt.push(parameters.find((value) => value instanceof Date) as Date);
      await new Promise<void>((open) => releases.push(open));
      return { rows: [], error: undefined };
    },
  } as unknown as ConstructorParameters<typeof CredentialFinder>[0];
  const finder = new CredentialFinder(ledger);
  const find = (ms: number) => finder.find(Buffer.alloc(32), new Date(ms));
  const lookups = [find(1_000)];
  await expect.poll(() => releases.length).toBe(1);
  lookups.push(find(2_000));
  await expect.poll(() => releases.length).toBe(2);
  // Two queries are in flight, so these lookups share the next one.
  lookups.push(find(3_000), find(9_000), find(5_000));
  releases[0]?.();
  await expect.poll(() => releases.length).toBe(3);
  for (const open of releases) open();
  await Promise.all(lookups);
  expect(queriedAt.map((at) => at.getTime())).toEqual([1_000, 2_000, 9_000]);
});

describe('a shared link to a report', () => {
  const june = { date_from: '2026-06-01', date_to: '2026-06-30' };
  const view = { name: 'June', page: 'campaigns', search: 'model=linear', ...june };
  const path = '/api/v1/shared-views';

  async function openShop() {
    const profile = await buildProfile(kit.app);
    const owner = await buildMember(kit.app, profile.workspaceId, 'owner');
    const viewer = await buildMember(kit.app, profile.workspaceId, 'viewer');
    const headers = (of: typeof owner): Record<string, string> => ({
      ...of.headers({ profileId: profile.id }),
      origin: 'https://tributary.test',
    });
    const call = async (method: 'GET' | 'POST' | 'DELETE', url: string, by = headers(owner), payload?: object) => {
      const answer = await api.call({ method, url, headers: by, ...(payload && { payload }) });
      return { status: answer.statusCode, body: answer.json() };
    };
    const share = async (body: object = {}) => {
      const { data } = (await call('POST', path, headers(owner), { ...view, ...body })).body;
      const [address, secret] = (data.url as string).split('#');
      expect(address).toBe('https://tributary.test/shared');
      return { id: data.id as string, headers: { authorization: `Bearer ${secret}` } as Record<string, string> };
    };
    return { profile, owner, headers, viewer, call, share };
  }
  const days = (from: string, to: string) => `date_from=${from}&date_to=${to}`;

  test('reads only its page and its days, and returns 401 once revoked or expired', async () => {
    const { call, share, headers, viewer, profile } = await openShop();
    const link = await share();
    const response = await call('GET', '/api/v1/shared-view', link.headers);
    expect(response.body.data).toMatchObject({ ...view, reporting_currency: 'USD' });
    const expected = kit.clock.now().getTime() + limits.sharedViews.days.default * dayMs;
    expect(response.body.data.expires_at).toBe(new Date(expected).toISOString());
    const own = days('2026-06-03', '2026-06-30');
    for (const url of [`campaigns?${own}`, `campaigns/unattributed?${own}`, `overview?${own}`])
      expect((await call('GET', `/api/v1/${url}`, link.headers)).status).toBe(200);
    const refused = [
      ['GET', `campaigns?${days('2026-05-31', '2026-06-30')}`],
      ['GET', `campaigns?${days('2026-06-01', '2026-07-01')}`],
      ['GET', `cohorts?${own}`],
      ['GET', 'top-performers'],
      ['GET', `customers?${own}&goal=payment_received`],
      ['GET', 'profile'],
      ['GET', 'goals/definitions'],
      ['GET', 'shared-views'],
      ['POST', 'shared-views'],
      ['DELETE', `shared-views/${link.id}`],
    ] as const;
    for (const [method, url] of refused)
      expect([url, (await call(method, `/api/v1/${url}`, link.headers)).status]).toEqual([url, 403]);
    const { data: live } = (await call('GET', path)).body;
    expect(live).toMatchObject([{ id: link.id, ...view }]);
    expect(live[0]).not.toHaveProperty('url');
    expect((await call('GET', path, headers(viewer))).body.error.reason).toBe('role');
    expect((await call('DELETE', `${path}/${link.id}`)).status).toBe(200);
    expect((await call('DELETE', `${path}/${link.id}`)).status).toBe(404);
    expect((await call('GET', '/api/v1/shared-view', link.headers)).status).toBe(401);
    const shortLived = await share({ expires_at: new Date(kit.clock.now().getTime() + 60_000).toISOString() });
    expect((await call('GET', '/api/v1/shared-view', shortLived.headers)).status).toBe(200);
    kit.clock.advance(60_000);
    expect((await call('GET', '/api/v1/shared-view', shortLived.headers)).status).toBe(401);
    expect((await call('GET', path)).body.data).toEqual([]);
    const { rows } = await kit.app
      .forWorkspace(profile.workspaceId)
      .transaction((tx) => sql<{ action: string }>`SELECT action FROM audit_log ORDER BY at, action`.execute(tx));
    expect(rows.map(({ action }) => action).filter((action) => action.startsWith('shared_view'))).toEqual(
      expect.arrayContaining(['shared_view.created', 'shared_view.revoked', 'shared_view.created']),
    );
  });

  test('cannot be created on a healthcare-family profile, where existing links return 401', async () => {
    const { call, share, headers, owner, profile } = await openShop();
    const link = await share();
    await kit.app
      .forWorkspace(profile.workspaceId)
      .transaction((tx) => sql`UPDATE profiles SET privacy_mode = 'hipaa' WHERE id = ${profile.id}`.execute(tx));
    expect((await call('GET', '/api/v1/shared-view', link.headers)).status).toBe(401);
    expect((await call('POST', path, headers(owner), view)).body.error.reason).toBe('healthcare');
  });

  test('cannot be valid for more than a year', async () => {
    const { call, headers, owner } = await openShop();
    const expires = (days: number) => new Date(kit.clock.now().getTime() + days * dayMs).toISOString();
    const { most } = limits.sharedViews.days;
    expect((await call('POST', path, headers(owner), { ...view, expires_at: expires(most) })).status).toBe(201);
    const refused = await call('POST', path, headers(owner), { ...view, expires_at: expires(most + 1) });
    expect(refused.body.error).toMatchObject({ code: 'validation_error', field: 'expires_at' });
  });

  test.each(
    Object.values<Route>(routes)
      .filter(({ access }) => access.credentials.includes('shared_link'))
      .filter(({ reveals }) => reveals?.days === 'requested'),
  )('$id requires the parameters date_from and date_to', ({ query }) => {
    for (const parameter of ['date_from', 'date_to'])
      expect(query?.shape[parameter]?.safeParse(undefined).success).toBe(false);
  });

  test('cannot be created beyond the limit of the profile', async () => {
    const { call, profile, headers, owner, share } = await openShop();
    const { id } = await share();
    await kit.app.forProfile(profile.id).transaction((tx) =>
      sql`
        INSERT INTO shared_views (profile_id, id, hash, name, page, search, date_from, date_to, made_by, created_at)
        SELECT profile_id, gen_random_uuid(), sha256(n::text::bytea), name, page, search, date_from, date_to, made_by, created_at
        FROM shared_views, generate_series(2, ${limits.sharedViews.most}) AS n WHERE id = ${id}`.execute(tx),
    );
    expect((await call('POST', path, headers(owner), view)).body.error.code).toBe('invalid_state');
  });

  test('is accepted exactly by the listed routes, which contain no personal data', () => {
    const listed = new Set<string>([...Object.values(sharedOperations).flat(), 'readSharedView']);
    const accepting = Object.values<Route>(routes).filter(({ access }) => access.credentials.includes('shared_link'));
    expect(new Set(accepting.map(({ id }) => id))).toEqual(listed);
    for (const { method, access, reveals } of accepting)
      expect([method, access.grain, reveals?.people]).toEqual(['GET', 'profile', 'none']);
  });
});
