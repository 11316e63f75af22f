import { OAuthScope } from '@tributary/contract';
import { buildMember } from '@tributary/testkit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openBrowser, openFlow } from './handoffs.fixture.ts';

const { kit, api, company } = await openFlow();
kit.clock.set(new Date());

type Headers = Readonly<Record<string, string>>;
const call = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, headers: Headers, payload?: object) => {
  const answer = await api.call({ method, url: `/api/v1${path}`, headers, ...(payload && { payload }) });
  return { status: answer.statusCode, ...answer.json() };
};

/** The calls of a partner's server, with only its client id and secret. */
async function provision(traits: { is_test?: boolean } = {}) {
  const app = await api.registerApp();
  const unbound = await app.token();
  const owner = { owner_email: `owner-${app.clientId}@shop.example`, owner_name: 'Ana' };
  const workspace = await call('POST', '/workspaces', unbound, { name: 'Shop', ...owner });
  const profile = await call('POST', '/profiles', unbound, {
    workspace_id: workspace.data.id,
    name: 'Shop',
    ...traits,
  });
  const bound = await app.token(profile.data.id);
  const path = `/profiles/${profile.data.id}`;
  await call('PUT', `${path}/entitlements/atribu_attribution`, bound, { enabled: true });
  await call('PUT', `${path}/grant`, bound, { scopes: OAuthScope.options });
  const { data: key } = await call('POST', '/keys', await app.token(profile.data.id), {});
  const headers = { authorization: `Bearer ${key.key}` };
  return { app, unbound, owner, workspace: workspace.data, profile: profile.data, key, headers };
}

/** Follows a link as a merchant without an account and shares these accounts. Resolves to the last page. */
async function consent(url: string, ...accounts: string[]) {
  const browser = openBrowser(api);
  const page = await browser.open(url);
  expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(page.body).not.toContain('sign-in');
  const { to = '' } = await browser.open(`${url}/start`);
  return browser.open(company.approve(to, ...accounts));
}

test('an app provisions a workspace, its owner and a connection, and the merchant reconnects without an account', async () => {
  const { headers, workspace, profile, key } = await provision();
  expect(key.key).toMatch(/^trib_live_/);
  expect(workspace).toMatchObject({ owner_id: expect.any(String), owner_invitation_url: expect.any(String) });

  const minted = await call('POST', '/connections/social_ads/handoff', headers, {});
  await consent(minted.data.url, 'act_1');
  const settled = await call('GET', `/handoffs/${minted.data.id}`, headers);
  const connectionId = settled.data.result.connection_id;
  await kit.app
    .forProfile(profile.id)
    .transaction((tx) =>
      sql`UPDATE connections SET status = 'reconnect_required' WHERE id = ${connectionId}`.execute(tx),
    );

  const refused = () => call('POST', '/connections/sync', headers, { connection_id: connectionId });
  const { error } = await refused();
  expect(error).toMatchObject({ code: 'connection_not_ready', reconnect_required: true });
  expect(error.reconnect_url).toMatch(/^https:\/\/tributary\.test\/connect\/[\w-]{43}$/);
  // Repeated calls share one link while it has time left.
  expect((await refused()).error.reconnect_url).toBe(error.reconnect_url);

  // The link reconnects this connection and no other account.
  await consent(error.reconnect_url, 'act_other');
  const status = async () =>
    (await call('GET', '/connections', headers)).data.map((one: { status: string }) => one.status);
  expect(await status()).toEqual(['reconnect_required']);
  const again = (await refused()).error.reconnect_url;
  expect(again).not.toBe(error.reconnect_url);
  await consent(again, 'act_other', 'act_1');
  expect(await status()).toEqual(['connected']);
});

test('the owner named by an app accepts the invitation and keeps the id of earlier audit entries', async () => {
  const { owner, workspace, unbound } = await provision();
  const accept = (url: string) =>
    call(
      'POST',
      '/invitations/accept',
      { 'content-type': 'application/json' },
      {
        token: new URL(url).hash.slice(1),
        name: owner.owner_name,
        email: owner.owner_email,
        password: 'vague otter lamp',
      },
    );
  // The app replaces a lost link, and the old one stops working.
  const path = `/workspaces/${workspace.id}/invitations`;
  const replaced = await call('POST', path, unbound, { role: 'owner', email: owner.owner_email });
  expect(replaced.status).toBe(201);
  expect((await accept(workspace.owner_invitation_url)).error.code).toBe('invalid_state');
  const joined = await accept(replaced.data.url);
  expect(joined.data).toMatchObject({ user_id: workspace.owner_id, role: 'owner' });
  // From now on only the owner may invite members.
  const late = await call('POST', path, unbound, { role: 'owner', email: 'app@partner.example' });
  expect(late.error).toMatchObject({ code: 'invalid_state', reason: 'has_members' });
  const viewer = await call('POST', path, unbound, { role: 'viewer', email: 'app@partner.example' });
  expect(viewer.error.code).toBe('forbidden');
});

test('keys of a test profile start with trib_test_, and its app deletes it; other profiles stay', async () => {
  const tested = await provision({ is_test: true });
  expect(tested.key.key).toMatch(/^trib_test_/);
  expect((await call('GET', '/profile', tested.headers)).data.is_test).toBe(true);
  const live = await provision();
  const remove = ({ workspace, profile, unbound }: typeof live, by = unbound) =>
    call('DELETE', `/workspaces/${workspace.id}/profiles/${profile.id}`, by);
  expect((await remove(live)).error.code).toBe('forbidden');
  expect((await remove(tested, live.unbound)).error.code).toBe('not_found');
  expect((await remove(tested)).status).toBe(200);
  expect((await call('GET', '/profile', tested.headers)).status).toBe(401);
});

test('[err-072] members of a workspace that an app provisioned get no report or alert mails', async () => {
  const { workspace, profile } = await provision();
  const member = await buildMember(kit.app, workspace.id, 'owner');
  const headers = { ...member.headers({ profileId: profile.id }), 'content-type': 'application/json' };
  const report = { page: 'overview', every: 'week', language: 'en', model: 'linear', recipients: [member.userId] };
  expect((await call('POST', '/report-mails', headers, report)).error).toMatchObject({
    code: 'app_provisioned_workspace',
    status: 403,
  });
  const alerts = await call('PUT', '/alerts/mail', headers, { is_wanted: true, language: 'en' });
  expect(alerts.error.code).toBe('app_provisioned_workspace');
});
