import { routes } from '@tributary/contract';
import { writeAudit } from '@tributary/domain/tenancy/accountability/module.ts';
import {
  addMember,
  createAccounts,
  createPasswords,
  createUser,
  listUsers,
  resetPassword,
} from '@tributary/domain/tenancy/accounts/module.ts';
import { answer } from '@tributary/operations';
import { buildApiKey, buildProfile, openTest, operatorOf, serve, served, testVault } from '@tributary/testkit';
import pg from 'pg';
import { describe, expect, test } from 'vitest';

const { kit, api } = await openTest();
kit.clock.set(new Date());
const operator = { operator: operatorOf(kit), passwords: createPasswords(10) };
const profile = await buildProfile(kit.app);

const sameOrigin = { 'sec-fetch-site': 'same-origin' };
const password = 'vague otter lamp';
let userCount = 0;
const next = () => {
  userCount += 1;
  return userCount;
};

/** Uses a new address per request, so that tests do not share rate limits. */
const call = async (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  url: string,
  headers: Record<string, string> = {},
  body?: unknown,
  remoteAddress = `2001:db8:${next().toString(16)}::1`,
) => {
  const response = await api.fastify.inject({
    method,
    url: `/api/v1${url}`,
    headers: { ...(method !== 'GET' && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { payload: JSON.stringify(body) }),
    remoteAddress,
  });
  return {
    status: response.statusCode,
    headers: response.headers,
    body: response.json(),
    code: response.json().error?.code,
  };
};

const newUser = (name = 'Ana') => createUser(operator, { email: `p${next()}@example.com`, name, password });

async function signIn(email: string, secret = password, from?: string) {
  const answer = await call('POST', '/account/sign-in', sameOrigin, { email, password: secret }, from);
  const setCookie = String(answer.headers['set-cookie'] ?? '');
  return { ...answer, setCookie, cookie: setCookie.split(';', 1)[0] ?? '' };
}

describe('POST /account/sign-in', () => {
  test('200: sets a __Host- cookie that is Secure and HttpOnly', async () => {
    const user = await newUser();
    const { status, body, setCookie } = await signIn(user.email.toUpperCase());
    expect([status, body]).toEqual([200, { data: { id: user.id, name: 'Ana', email: user.email }, meta: {} }]);
    const [cookie = '', ...attributes] = setCookie.split('; ');
    expect(cookie).toMatch(/^__Host-session=\S{40,}$/);
    expect(attributes.sort()).toEqual(['HttpOnly', 'Max-Age=1209600', 'Path=/', 'SameSite=Lax', 'Secure']);
  });

  test('200: with SECURE_COOKIES=false the cookie has no Secure attribute and no __Host- prefix', async () => {
    const user = await newUser();
    const local = createAccounts({
      baseUrl: 'http://127.0.0.1:4000',
      postgres: kit.app,
      keys: () => testVault.derive('accounts'),
      passwordMinLength: 10,
      sessionDays: 1,
      isCookieSecure: false,
      idleMinutes: 60,
      noteUse: () => {},
      attempts: { take: async () => {}, right: async () => {} },
      audit: writeAudit,
      isFirstOfMinute: async () => true,
    });
    const signedIn = await local.signIn(user.email, password);
    expect(signedIn && 'setCookie' in signedIn && signedIn.setCookie).toMatch(
      /^session=\S+; Max-Age=86400; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    expect(local.forgetCookie).toBe('session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax');
  });

  test('200: sign-in works before, during and after a key rotation', async () => {
    const user = await newUser();
    const [old] = testVault.derive('accounts');
    if (!old) return expect.unreachable();
    const newer = { id: 'newer', bytes: Buffer.alloc(32, 3) };
    const open = (keys: readonly (typeof old)[]) =>
      createAccounts({
        baseUrl: 'http://127.0.0.1:4000',
        postgres: kit.app,
        keys: () => keys,
        passwordMinLength: 10,
        sessionDays: 1,
        isCookieSecure: false,
        idleMinutes: 60,
        noteUse: () => {},
        attempts: { take: async () => {}, right: async () => {} },
        audit: writeAudit,
        isFirstOfMinute: async () => true,
      });
    const signInWith = async (accounts: ReturnType<typeof open>) => {
      const signedIn = await accounts.signIn(user.email, password);
      return signedIn && 'setCookie' in signedIn ? signedIn.setCookie : '';
    };
    const before = await signInWith(open([old]));
    expect(before).not.toBe('');
    for (const keys of [[newer, old], [newer]]) expect(await signInWith(open(keys)), String(keys.length)).not.toBe('');
  });

  test('401: a wrong password and an unknown address return the same error', async () => {
    const user = await newUser();
    const responses = [await signIn(user.email, 'wrong password'), await signIn('nobody@example.com')];
    for (const { status, code, setCookie } of responses)
      expect([status, code, setCookie]).toEqual([401, 'unauthorized', '']);
    expect(new Set(responses.map(({ body }) => body.error.message)).size).toBe(1);
  });

  test('401: an unknown address takes as long as a known one', async () => {
    const user = await newUser();
    // Measured in CPU time of this process, which other processes do not affect.
    const timed = async (email: string) => {
      const before = process.cpuUsage();
      await signIn(email, 'wrong password');
      const { user: own, system } = process.cpuUsage(before);
      return own + system;
    };
    const knownTimes: number[] = [];
    const unknownTimes: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      knownTimes.push(await timed(user.email));
      unknownTimes.push(await timed(`nobody${round}@example.com`));
    }
    const fastest = (values: number[]) => Math.min(...values);
    expect(fastest(unknownTimes)).toBeGreaterThan(fastest(knownTimes) / 2);
  });

  test('422: an invalid address returns the field email', async () => {
    const { status, body } = await call('POST', '/account/sign-in', sameOrigin, { email: 'not an address', password });
    expect([status, body.error.code, body.error.field]).toEqual([422, 'validation_error', 'email']);
  });

  test('429: limits password guesses per source and per account without locking out the owner', async () => {
    const [victim, other] = [await newUser(), await newUser()];
    expect((await signIn(victim.email, password, '2001:db8:aaaa::1')).status).toBe(200);
    const guess = async (network: number) =>
      (await signIn(victim.email, 'a wrong guess', `2001:db8:bbbb:${network}::1`)).status;
    const fromOne: number[] = [];
    for (let round = 0; round < 7; round += 1) fromOne.push(await guess(0));
    expect(fromOne).toEqual([401, 401, 401, 401, 401, 429, 429]);
    const fromMany: number[] = [];
    for (let network = 1; network <= 20; network += 1) fromMany.push(await guess(network));
    expect(fromMany.indexOf(429)).toBe(14);
    expect(fromMany.slice(14)).toEqual(Array(6).fill(429));
    // The same network as the earlier sign-in, with another address.
    expect((await signIn(victim.email, password, '2001:db8:aaaa::2')).status).toBe(200);
    expect((await signIn(other.email)).status).toBe(200);
  });

  test('503: sign-in is refused while Redis, which counts attempts, is unavailable', async () => {
    const withoutRedis = await serve(
      kit,
      [served(routes.signIn, async () => answer(200, { data: { id: '', name: '', email: '' } }))],
      {
        redisUrl: 'redis://127.0.0.1:1',
      },
    );
    const payload = { email: 'ana@example.com', password };
    const response = await withoutRedis.fastify.inject({ method: 'POST', url: '/api/v1/account/sign-in', payload });
    expect([response.statusCode, response.json().error.code]).toEqual([503, 'service_unavailable']);
    await withoutRedis.close();
  });
});

describe('GET /account', () => {
  test('200: [auth-003] returns the user and the memberships', async () => {
    const user = await newUser();
    await addMember(operator, { workspaceId: profile.workspaceId, email: user.email, role: 'analyst' });
    const { cookie } = await signIn(user.email);
    const { status, body } = await call('GET', '/account', { cookie });
    expect(status).toBe(200);
    expect(body.data).toEqual({
      id: user.id,
      name: 'Ana',
      email: user.email,
      is_two_factor_enabled: false,
      memberships: [
        {
          workspace_id: profile.workspaceId,
          workspace_name: 'Test workspace',
          role: 'analyst',
          profiles: [{ id: profile.id, name: 'Test profile', is_healthcare_family: false }],
        },
      ],
    });
  });

  test('401: without a cookie, with a forged one and with an expired session', async () => {
    const user = await newUser();
    const { cookie } = await signIn(user.email);
    expect((await call('GET', '/account')).code).toBe('unauthorized');
    expect((await call('GET', '/account', { cookie: '__Host-session=aaaa.bbbb' })).code).toBe('unauthorized');
    expect((await call('GET', '/account', { cookie: cookie.replace('__Host-', '') })).code).toBe('unauthorized');
    const today = kit.clock.now();
    kit.clock.advance(15 * 86_400_000);
    expect((await call('GET', '/account', { cookie })).code).toBe('unauthorized');
    kit.clock.set(today);
    expect((await call('GET', '/account', { cookie })).status).toBe(200);
  });

  test('403: API keys are not accepted', async () => {
    const key = await buildApiKey(kit.app, profile.id);
    const { status, body } = await call('GET', '/account', key.headers);
    expect([status, body.error.code, body.error.reason]).toEqual([403, 'forbidden', 'credential_kind']);
  });
});

describe('POST /account/sign-out', () => {
  test('200: ends only this session, at once', async () => {
    const user = await newUser();
    const [here, there] = [await signIn(user.email), await signIn(user.email)];
    const answer = await call('POST', '/account/sign-out', { cookie: here.cookie, ...sameOrigin });
    expect([answer.status, answer.body.data]).toEqual([200, { signed_out: true }]);
    expect(String(answer.headers['set-cookie'])).toMatch(/^__Host-session=; Max-Age=0; Path=\/; .*Secure$/);
    expect((await call('GET', '/account', { cookie: here.cookie })).status).toBe(401);
    expect((await call('GET', '/account', { cookie: there.cookie })).status).toBe(200);
  });
});

describe('CSRF protection of requests with a cookie', () => {
  const origin = 'https://tributary.test';
  const attempt = async (headers: Record<string, string>) => {
    const { cookie } = await signIn((await newUser()).email);
    const { status, body } = await call('POST', '/account/sign-out', { cookie, ...headers });
    return [status, body.error?.reason];
  };
  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' }],
    ['a neighbouring host', { 'sec-fetch-site': 'same-site', origin: 'https://shop.tributary.test' }],
    ['an old browser on another site', { origin: 'https://evil.test' }],
    ['a page with an opaque origin', { origin: 'null' }],
    ['a request without origin', {}],
    ['a form', { 'sec-fetch-site': 'same-origin', origin, 'content-type': 'text/plain' }],
  ])('403 csrf: from %s', async (_from, headers) => {
    expect(await attempt(headers as Record<string, string>)).toEqual([403, 'csrf']);
  });
  test.each([
    ['an own page', { 'sec-fetch-site': 'same-origin' }],
    ['an own page in an old browser', { origin }],
  ])('200: from %s', async (_from, headers) => {
    expect(await attempt(headers as Record<string, string>)).toEqual([200, undefined]);
  });
});

describe('PUT /account/password', () => {
  const change = (cookie: string, body: object) => call('PUT', '/account/password', { cookie, ...sameOrigin }, body);

  test('200: replaces the password and ends all other sessions', async () => {
    const user = await newUser();
    const [here, there] = [await signIn(user.email), await signIn(user.email)];
    const answer = await change(here.cookie, { current_password: password, new_password: 'another long secret' });
    expect([answer.status, answer.body.data]).toEqual([200, { changed: true }]);
    expect((await call('GET', '/account', { cookie: there.cookie })).status).toBe(401);
    expect((await call('GET', '/account', { cookie: here.cookie })).status).toBe(200);
    expect((await signIn(user.email)).status).toBe(401);
    expect((await signIn(user.email, 'another long secret')).status).toBe(200);
  });

  test.each([
    [
      '400: [err-061] without the current password',
      { new_password: 'another long secret' },
      400,
      'current_password_required',
    ],
    [
      '400: [err-062] with a wrong current password',
      { current_password: 'no', new_password: 'another long secret' },
      400,
      'current_password_invalid',
    ],
    ['422: [err-059] to a short password', { current_password: password, new_password: 'short' }, 422, 'weak_password'],
    [
      '422: [err-060] to a leaked password',
      { current_password: password, new_password: 'password123' },
      422,
      'compromised_password',
    ],
  ])('%s', async (_title, body, status, code) => {
    const user = await newUser();
    const { cookie } = await signIn(user.email);
    const answer = await change(cookie, body);
    expect([answer.status, answer.code]).toEqual([status, code]);
    expect((await signIn(user.email)).status).toBe(200);
  });
});

describe('the operator', () => {
  test('creates users with a given or generated password, and refuses a used address', async () => {
    const user = await createUser(operator, { email: ' Eva@Example.com ', name: 'Eva' });
    expect(user).toMatchObject({ email: 'eva@example.com', password: expect.stringMatching(/^[a-z2-9]{20}$/) });
    expect((await signIn('eva@example.com', user.password)).status).toBe(200);
    await expect(createUser(operator, { email: 'EVA@example.com', name: 'Eva' })).rejects.toThrow(/has the address/);
    await expect(createUser(operator, { email: 'x@example.com', name: 'X', password: 'short' })).rejects.toThrow(
      /characters/,
    );
    expect((await listUsers(operator)).map(({ email }) => email)).toContain('eva@example.com');
  });

  test('resets a password and ends every session of the user', async () => {
    const user = await newUser();
    const { cookie } = await signIn(user.email);
    const reset = await resetPassword(operator, user.email);
    expect((await call('GET', '/account', { cookie })).status).toBe(401);
    expect((await signIn(user.email)).status).toBe(401);
    expect((await signIn(user.email, reset.password)).status).toBe(200);
  });

  test('cannot add members to an unknown workspace or unknown users', async () => {
    const user = await newUser();
    const unknownWorkspace = {
      workspaceId: '01a00000-0000-7000-8000-000000000000',
      email: user.email,
      role: 'owner' as const,
    };
    await expect(addMember(operator, unknownWorkspace)).rejects.toThrow(/no workspace/);
    await expect(addMember(operator, { ...unknownWorkspace, email: 'no@example.com' })).rejects.toThrow(/Nobody/);
  });
});

test('no table or log line contains a password or cookie', async () => {
  const user = await newUser();
  const { cookie } = await signIn(user.email);
  await signIn(user.email, 'a wrong but telling secret');
  const token = cookie.split('=')[1]?.split('.')[0] ?? '';
  expect(token.length).toBeGreaterThanOrEqual(32);
  const written = [await everyRow(), ...api.logLines].join('\n');
  expect(written).toContain(user.id);
  for (const secret of [password, token, 'a wrong but telling secret']) expect(written).not.toContain(secret);
});

async function everyRow(): Promise<string> {
  const { pathname, host, password: owners } = new URL(kit.database.ownerUrl);
  const admin = new pg.Client({ connectionString: `postgres://postgres:${owners}@${host}${pathname}` });
  await admin.connect();
  try {
    const tables = await admin.query(`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`);
    const rows = [];
    for (const { tablename } of tables.rows) {
      rows.push(...(await admin.query(`SELECT t::text AS row FROM "${tablename}" t`)).rows.map(({ row }) => row));
    }
    return rows.join('\n');
  } finally {
    await admin.end();
  }
}
