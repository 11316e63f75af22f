import { buildApiKey, buildProfile, openTest } from '@tributary/testkit';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';

const { kit, api } = await openTest();
let workspaceId: string;
let headers: Record<string, string>;
beforeEach(async () => {
  const profile = await buildProfile(kit.app);
  workspaceId = profile.workspaceId;
  headers = {
    ...(await buildApiKey(kit.app, profile.id, { scopes: ['attribution:write', 'analytics:read'] })).headers,
    'content-type': 'application/json',
  };
});

const url = '/api/v1/tracking/settings';
const read = async () => (await api.fastify.inject({ url, headers })).json().data;
const change = async (body: unknown) => {
  const answer = await api.fastify.inject({ method: 'PATCH', url, headers, payload: JSON.stringify(body) });
  return { status: answer.statusCode, ...answer.json() };
};
const defaults = {
  allowed_hosts: [],
  own_hosts: [],
  redirect_hosts: [],
  is_consent_required: false,
  is_signed_identify_required: false,
  keeps_city: true,
  daily_visit_quota: null,
  effective_daily_visit_quota: 100_000,
  updated_at: null,
};

test('[track-021] are the defaults at first', async () => {
  expect(await read()).toEqual(defaults);
});

test('[track-022] change only the given fields', async () => {
  const first = await change({
    allowed_hosts: ['https://Shop.Example/', 'shop.example', 'panadería.cl'],
    is_consent_required: true,
    daily_visit_quota: 500,
  });
  const updated_at = kit.clock.now().toISOString();
  const changed = {
    ...defaults,
    allowed_hosts: ['shop.example', 'xn--panadera-i2a.cl'],
    is_consent_required: true,
    daily_visit_quota: 500,
    effective_daily_visit_quota: 500,
    updated_at,
  };
  expect([first.status, first.data]).toEqual([200, changed]);
  const second = await change({ own_hosts: ['blog.example'], keeps_city: false, daily_visit_quota: null });
  const after = {
    ...changed,
    own_hosts: ['blog.example'],
    keeps_city: false,
    daily_visit_quota: null,
    effective_daily_visit_quota: 100_000,
  };
  expect(second.data).toEqual(after);
  expect(await read()).toEqual(after);
  expect((await change({ allowed_hosts: [] })).data.allowed_hosts).toEqual([]);
});

describe('refuses', () => {
  test.each([
    [{ allowed_hosts: ['shop.example', 'a b'] }, 'allowed_hosts.1'],
    [{ own_hosts: ['*.shop.example'] }, 'own_hosts.0'],
    [{ redirect_hosts: 'pay.example' }, 'redirect_hosts'],
    [{ redirect_hosts: Array(101).fill('a.example') }, 'redirect_hosts'],
    [{ daily_visit_quota: 0 }, 'daily_visit_quota'],
    [{ daily_visit_quota: 100_001 }, 'daily_visit_quota'],
    [{ keeps_city: 'yes' }, 'keeps_city'],
  ])('%j', async (body, field) => {
    const { status, error } = await change(body);
    expect([status, error.code, error.field]).toEqual([422, 'validation_error', field]);
    expect(await read()).toEqual(defaults);
  });
});

test('the effective quota never exceeds the plan, even after a change of plan', async () => {
  const setPlan = (plan: string) =>
    kit.app
      .forWorkspace(workspaceId)
      .transaction((tx) => sql`UPDATE workspaces SET plan = ${plan} WHERE id = ${workspaceId}`.execute(tx));
  await setPlan('growth');
  expect((await change({ daily_visit_quota: 1_500_000 })).data.effective_daily_visit_quota).toBe(1_500_000);
  await setPlan('free');
  expect(await read()).toMatchObject({ daily_visit_quota: 1_500_000, effective_daily_visit_quota: 100_000 });
});
