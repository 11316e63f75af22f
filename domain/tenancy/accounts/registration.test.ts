import { buildAssistant, buildMember, buildProfile, openTest } from '@tributary/testkit';
import { hourMs, limits, minuteMs } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { forgetUnallowedClients } from './delete-clients.ts';

const { kit, api } = await openTest();
kit.clock.set(new Date());
const { assistants } = limits;

let networks = 0;
const newAddress = () => {
  networks += 1;
  return `198.51.100.${networks}`;
};

async function register(more: object = {}, remoteAddress = newAddress()) {
  const response = await api.fastify.inject({
    method: 'POST',
    url: '/oauth2/register',
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify({
      client_name: 'Claude',
      redirect_uris: ['http://127.0.0.1:33418/callback'],
      token_endpoint_auth_method: 'none',
      ...more,
    }),
    remoteAddress,
  });
  return { status: response.statusCode, json: response.json(), headers: response.headers };
}

test.each([
  ['one address', (_: number) => '203.0.113.7'],
  ['one network of IPv6', (index: number) => `2001:db8:7::${index + 1}`],
])('limits the registrations per hour of %s', async (_, addressOf) => {
  const { registrationsPerHour } = assistants;
  const responses = [];
  for (let index = 0; index <= registrationsPerHour; index += 1) responses.push(await register({}, addressOf(index)));
  const statuses = responses.map(({ status }) => status);
  expect(statuses).toEqual([...Array.from({ length: registrationsPerHour }, () => 201), 429]);
  const seconds = Number(responses.at(-1)?.headers['retry-after']);
  expect(seconds).toBeGreaterThan(600);
  expect(seconds).toBeLessThanOrEqual(3_600 / registrationsPerHour);
  expect((await register()).status).toBe(201);
});

test('limits the size of a registration', async () => {
  const large = await register({ logo_uri: `https://a.test/${'x'.repeat(assistants.registrationBytes)}` });
  expect([large.status, large.json.error.code]).toEqual([413, 'payload_too_large']);
});

test.each([
  ['client_name', 'x'.repeat(assistants.nameCharacters + 1)],
  ['software_id', 'x'.repeat(assistants.textCharacters + 1)],
  ['redirect_uris', [`http://127.0.0.1/${'x'.repeat(assistants.textCharacters)}`]],
  ['redirect_uris', Array.from({ length: assistants.listEntries + 1 }, (_, index) => `http://127.0.0.1:${index + 1}/`)],
  ['jwks', { keys: ['x'.repeat(assistants.textCharacters)] }],
])('limits the size of each field: %s', async (name, value) => {
  const { status, json } = await register({ [name]: value });
  expect([status, json.error]).toEqual([400, 'invalid_client_metadata']);
  expect(json.error_description).toContain(`"${name}"`);
});

test('deletes clients without consent after a day and keeps those with consent', async () => {
  const { id: profileId, workspaceId } = await buildProfile(kit.app);
  const { clientId: allowed } = await buildAssistant(kit.app, await buildMember(kit.app, workspaceId), profileId);
  const old = (await register()).json.client_id;
  const day = assistants.unallowedHours * hourMs;
  const createdAt = new Date(kit.clock.now().getTime() - day - 1);
  await kit.owner.unbound.transaction((tx) => tx.updateTable('oauth_clients').set({ created_at: createdAt }).execute());
  const young = (await register()).json.client_id;
  await forgetUnallowedClients(kit.system.unbound, kit.clock.now(), new AbortController().signal);
  const { rows } = await kit.app.unbound.query(sql<{ client_id: string }>`SELECT client_id FROM oauth_clients`);
  const remainingIds = rows.map(({ client_id }) => client_id);
  expect([allowed, young, old].map((id) => remainingIds.includes(id))).toEqual([true, true, false]);
});

test('limits the clients without consent, and deletes the oldest at the limit', async () => {
  // Cleaned up, because these rows block other registrations.
  onTestFinished(async () => {
    await kit.owner.unbound.query(sql`DELETE FROM oauth_clients WHERE client_id LIKE 'flood-%'`);
  });
  await kit.app.unbound.transaction((tx) =>
    sql`INSERT INTO oauth_clients (id, client_id, redirect_uris, created_at)
        SELECT gen_random_uuid(), 'flood-' || n, '[]', ${kit.clock.now()}
        FROM generate_series(1, ${assistants.unallowedMost}::integer) n`.execute(tx),
  );
  const countClients = async () =>
    Number(
      (await kit.app.unbound.query(sql<{ total: string }>`SELECT count(*) AS total FROM oauth_clients`)).rows[0]?.total,
    );
  const { status, json } = await register();
  expect([status, json.error]).toEqual([503, 'temporarily_unavailable']);
  // Minutes later, the oldest are deleted, so that a flood does not block registration.
  kit.clock.advance(assistants.unallowedMinutes * minuteMs + 1);
  const before = await countClients();
  expect((await register()).status).toBe(201);
  expect((await countClients()) - before).toBe(1 - assistants.replacedAtOnce);
});

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const ownPage = { ...form, origin: 'https://tributary.test', 'sec-fetch-site': 'same-origin' };
const basic = { ...form, authorization: `Basic ${Buffer.from('client\0:secret').toString('base64')}` };

test.each([
  ['the client of a revocation', 'POST', '/oauth2/revoke', form, 'token=x&client_id=client%00'],
  ['the client in a header', 'POST', '/oauth2/token', basic, 'grant_type=refresh_token&refresh_token=x'],
  [
    'the e-mail address of a sign-in',
    'POST',
    '/oauth2/sign-in',
    ownPage,
    'query=client_id%3Dx&email=%00&password=wrong',
  ],
  ['a query string in a form', 'POST', '/oauth2/consent', ownPage, 'query=client_id%3D%2500&decision=deny'],
  ['the client of an authorization', 'GET', '/oauth2/authorize?response_type=code&client_id=%00', {}, undefined],
  [
    'the contact of a registration',
    'POST',
    '/oauth2/register',
    { 'content-type': 'application/json' },
    '{"redirect_uris":["https://a.example/"],"contacts":["\\ud800"]}',
  ],
] as const)(
  'returns 400 for characters that PostgreSQL cannot store in %s',
  async (_, method, url, headers, payload) => {
    const response = await api.fastify.inject({
      method,
      url,
      headers: { ...headers },
      remoteAddress: newAddress(),
      ...(payload && { payload }),
    });
    expect([response.statusCode, response.json().error]).toEqual([400, 'invalid_request']);
  },
);

test('accepts an emoji escaped as a surrogate pair', async () => {
  const response = await api.fastify.inject({
    method: 'POST',
    url: '/oauth2/register',
    headers: { 'content-type': 'application/json' },
    payload:
      '{"client_name":"\\ud83e\\udd16","redirect_uris":["http://127.0.0.1:1/cb"],"token_endpoint_auth_method":"none"}',
    remoteAddress: newAddress(),
  });
  expect([response.statusCode, response.json().client_name]).toEqual([201, '🤖']);
});
