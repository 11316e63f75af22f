import { sweepOld } from '@tributary/postgres';
import { buildApiKey, buildProfile, openTest } from '@tributary/testkit';
import { expect, test } from 'vitest';

const { kit, api } = await openTest();
let token = await (await api.registerApp()).token();
const post = async (url: string, body: object) =>
  (
    await api.fastify.inject({
      method: 'POST',
      url,
      headers: { ...token, 'content-type': 'application/json' },
      payload: JSON.stringify(body),
    })
  ).json();
const get = (url: string, headers: object = token) =>
  api.fastify.inject({ method: 'GET', url, headers: { ...headers } });
const search = (key: { headers: object }) => get('/api/v1/customers/search?q=nobody', key.headers);

/** A new workspace and profile, its access log, and a key that may read personal data. */
async function openShop() {
  const workspaceId: string = (await post('/api/v1/workspaces', { name: 'Acme' })).data.id;
  const profileId: string = (await post('/api/v1/profiles', { workspace_id: workspaceId, name: 'Shop' })).data.id;
  const log = (query = '') => get(`/api/v1/workspaces/${workspaceId}/pii-access-log${query}`);
  return { workspaceId, profileId, log, reader: await buildApiKey(kit.app, profileId, { scopes: ['customers:read'] }) };
}

test('[auth-033] [auth-034] [auth-035] [err-011] each access to personal data is logged with caller, time, route and result', async () => {
  const { workspaceId, profileId, log, reader } = await openShop();
  const other = await buildApiKey(kit.app, profileId, { scopes: ['campaigns:read'] });
  const served = await search(reader);
  kit.clock.advance(1_000);
  const refused = await search(other);
  expect([served.statusCode, refused.statusCode]).toEqual([200, 403]);
  const { data, meta } = (await log()).json();
  expect(meta).toEqual({ workspace_id: workspaceId });
  expect(data.slice(0, 2)).toEqual([
    {
      at: kit.clock.now().toISOString(),
      actor: { kind: 'api_key', id: other.id },
      profile_id: profileId,
      operation: 'searchCustomers',
      route: 'GET /api/v1/customers/search',
      people: 0,
      result: 'refused',
      request_id: refused.headers['x-request-id'],
    },
    expect.objectContaining({
      actor: { kind: 'api_key', id: reader.id },
      operation: 'searchCustomers',
      result: 'served',
      request_id: served.headers['x-request-id'],
    }),
  ]);
});

test('requests for personal data fail when the access log cannot be written', async () => {
  const { reader } = await openShop();
  const { default: pg } = await import('pg');
  const { host, pathname, password } = new URL(kit.database.ownerUrl);
  const admin = new pg.Client({ connectionString: `postgres://postgres:${password}@${host}${pathname}` });
  await admin.connect();
  await admin.query('REVOKE INSERT ON pii_access_log FROM tributary_app');
  try {
    expect((await search(reader)).statusCode).toBe(500);
  } finally {
    await admin.query('GRANT INSERT ON pii_access_log TO tributary_app');
    await admin.end();
  }
  expect((await search(reader)).statusCode).toBe(200);
});

test('returns the access log in pages, newest first, and 400 for an invalid cursor', async () => {
  const { log, reader } = await openShop();
  // Entries with the same timestamp must not be lost between two pages.
  for (const laterMs of [0, 10, 0, 0, 10, 0]) {
    kit.clock.advance(laterMs);
    await search(reader);
  }
  const first = (await log('?limit=3')).json();
  const second = (await log(`?limit=3&cursor=${encodeURIComponent(first.pagination.cursor)}`)).json();
  const rows: { at: string; request_id: string }[] = [...first.data, ...second.data];
  const times = rows.map(({ at }) => at);
  expect(times).toEqual(times.toSorted().reverse());
  expect(new Set(rows.map(({ request_id }) => request_id)).size).toBe(6);
  expect([first.pagination.has_next, second.pagination.has_next]).toEqual([true, false]);
  expect((await log('?cursor=2026-13-45T99:99:99.999Z|x')).json().error).toMatchObject({
    code: 'invalid_parameter',
    field: 'cursor',
  });
});

test('returns 404 for a foreign workspace, as for an unknown one', async () => {
  const foreign = await buildProfile(kit.app);
  for (const id of [foreign.workspaceId, '0198a000-0000-7000-8000-000000000000', 'nonsense']) {
    expect((await get(`/api/v1/workspaces/${id}/pii-access-log`)).json().error).toMatchObject({
      code: 'not_found',
      status: 404,
    });
  }
});

test('[auth-036] [lim-032] deletes entries after 365 days', async () => {
  const { workspaceId, reader } = await openShop();
  kit.clock.advance(86_400_000);
  await search(reader);
  const signal = new AbortController().signal;
  const sweeper = () => ({ ledger: kit.system.unbound, now: kit.clock.now(), days: { BAD_VISIT_DAYS: 30 }, signal });
  const prune = () => sweepOld(sweeper(), ['pii_access_log']);
  kit.clock.advance(365 * 86_400_000);
  await prune();
  token = await (await api.registerApp()).token();
  const count = () =>
    kit.app.forWorkspace(workspaceId).transaction((tx) => tx.selectFrom('pii_access_log').select('id').execute());
  expect(await count()).toHaveLength(1);
  kit.clock.advance(1);
  expect(await prune()).toBe(1);
  expect(await count()).toHaveLength(0);
});

test('callers of the access log can read the audit log in pages, newest first', async () => {
  const { workspaceId, profileId } = await openShop();
  await post('/api/v1/profiles', { workspace_id: workspaceId, name: 'Second shop' });
  const log = async (query = '') => (await get(`/api/v1/workspaces/${workspaceId}/audit-log${query}`)).json();
  const { data, meta } = await log();
  expect(meta).toEqual({ workspace_id: workspaceId });
  const sequences = data.map(({ sequence }: { sequence: number }) => sequence);
  expect(sequences).toEqual([...sequences.keys()].reverse().map((index) => index + 1));
  expect(data.some(({ target }: { target: string }) => target === `profile:${profileId}`)).toBe(true);
  const first = await log('?limit=1');
  expect(first).toMatchObject({ data: [data[0]], pagination: { has_next: true } });
  expect((await log(`?limit=1&cursor=${first.pagination.cursor}`)).data).toEqual([data[1]]);
  const foreign = await buildProfile(kit.app);
  expect((await get(`/api/v1/workspaces/${foreign.workspaceId}/audit-log`)).statusCode).toBe(404);
});
