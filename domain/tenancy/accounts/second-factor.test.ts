import { createHmac } from 'node:crypto';
import { createPasswords, createUser, resetPassword } from '@tributary/domain/tenancy/accounts/module.ts';
import { auditEntries, openTest, operatorOf } from '@tributary/testkit';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';

const idleMinutes = 60;
const { kit, api } = await openTest({ sessionIdleMinutes: idleMinutes });
// Codes depend on the real time, so the clock is reset before each test.
beforeEach(() => kit.clock.set(new Date()));
const operator = { operator: operatorOf(kit), passwords: createPasswords(10) };
const sameOrigin = { 'sec-fetch-site': 'same-origin' };
const password = 'vague otter lamp';
let count = 0;
const next = () => {
  count += 1;
  return count.toString(16);
};

const newAddress = () => `2001:db8:${next()}::1`;
const call = async (
  method: 'GET' | 'POST' | 'DELETE',
  url: string,
  cookie = '',
  body?: unknown,
  remoteAddress = newAddress(),
) => {
  const response = await api.fastify.inject({
    method,
    url: `/api/v1/account${url}`,
    headers: {
      ...sameOrigin,
      ...(cookie && { cookie }),
      ...(method === 'POST' && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { payload: JSON.stringify(body) }),
    remoteAddress,
  });
  const setCookie = String(response.headers['set-cookie'] ?? '');
  const answer = response.json();
  return { status: response.statusCode, data: answer.data, code: answer.error?.code, cookie: setCookie.split(';')[0] };
};
const newUser = () => createUser(operator, { email: `second${next()}@example.com`, name: 'Ana', password });
const signIn = (email: string) => call('POST', '/sign-in', '', { email, password });

/** The current code of an authenticator (RFC 6238) for the secret in the otpauth URL. */
function codeOf(otpauthUrl: string, steps = 0): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const secret = new URL(otpauthUrl).searchParams.get('secret') ?? '';
  const bits = [...secret.replaceAll('=', '')].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0'));
  const key = Buffer.from((bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps));
  const hash = createHmac('sha1', key).update(counter).digest();
  const offset = (hash.at(-1) as number) & 15;
  return String((hash.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

/** A signed-in user with a second factor. */
async function createEnrolledUser() {
  const user = await newUser();
  const first = await signIn(user.email);
  const started = await call('POST', '/two-factor', first.cookie, { current_password: password });
  expect(started.status).toBe(200);
  const { otpauth_url: otpauthUrl, recovery_codes: recoveryCodes } = started.data;
  const confirmed = await call('POST', '/two-factor/confirm', first.cookie, { code: codeOf(otpauthUrl) });
  expect([confirmed.status, confirmed.data]).toEqual([200, { enabled: true }]);
  return { user, before: first.cookie, cookie: confirmed.cookie, otpauthUrl, recoveryCodes: recoveryCodes as string[] };
}
const challengeOf = async (email: string): Promise<string> => {
  const { status, data, cookie } = await signIn(email);
  expect([status, data.second_step, cookie]).toEqual([202, true, '']);
  return data.challenge;
};
const complete = (challenge: string, code: string) => call('POST', '/sign-in/second-step', '', { challenge, code });

describe('a second factor', () => {
  test('is required once confirmed, and the session is replaced', async () => {
    const { user, before, cookie, otpauthUrl } = await createEnrolledUser();
    expect((await call('GET', '', before)).status).toBe(401);
    expect((await call('GET', '', cookie)).data).toMatchObject({ id: user.id, is_two_factor_enabled: true });
    const signedIn = await complete(await challengeOf(user.email), codeOf(otpauthUrl));
    expect([signedIn.status, signedIn.data]).toEqual([200, { id: user.id, name: 'Ana', email: user.email }]);
    expect((await call('GET', '', signedIn.cookie)).status).toBe(200);
  });

  test('confirming it ends all other sessions of the user, which could be stolen', async () => {
    const user = await newUser();
    const [here, there] = [await signIn(user.email), await signIn(user.email)];
    const otherUser = await signIn((await newUser()).email);
    const started = await call('POST', '/two-factor', here.cookie, { current_password: password });
    expect((await call('GET', '', there.cookie)).status).toBe(200);
    const code = codeOf(started.data.otpauth_url);
    const confirmed = await call('POST', '/two-factor/confirm', here.cookie, { code });
    expect((await call('GET', '', there.cookie)).status).toBe(401);
    expect((await call('GET', '', confirmed.cookie)).status).toBe(200);
    expect((await call('GET', '', otherUser.cookie)).status).toBe(200);
  });

  test('is inactive until confirmed, and starting again replaces the secret', async () => {
    const user = await newUser();
    const { cookie } = await signIn(user.email);
    const [first, second] = [
      await call('POST', '/two-factor', cookie, { current_password: password }),
      await call('POST', '/two-factor', cookie, { current_password: password }),
    ];
    expect(second.data.otpauth_url).not.toBe(first.data.otpauth_url);
    expect((await signIn(user.email)).status).toBe(200);
    const wrong = await call('POST', '/two-factor/confirm', cookie, { code: codeOf(first.data.otpauth_url) });
    expect([wrong.status, wrong.code]).toEqual([422, 'validation_error']);
    expect((await signIn(user.email)).status).toBe(200);
  });

  test('409: cannot be started when active, or confirmed before it was started', async () => {
    const { cookie } = await createEnrolledUser();
    expect((await call('POST', '/two-factor', cookie, { current_password: password })).code).toBe('invalid_state');
    const other = await signIn((await newUser()).email);
    expect((await call('POST', '/two-factor/confirm', other.cookie, { code: '123456' })).code).toBe('invalid_state');
  });

  test('400: starting and disabling it require the current password', async () => {
    const { cookie } = await createEnrolledUser();
    const other = await signIn((await newUser()).email);
    const wrong = { current_password: 'not the password' };
    expect((await call('POST', '/two-factor', other.cookie, wrong)).code).toBe('current_password_invalid');
    expect((await call('POST', '/two-factor/disable', cookie, wrong)).code).toBe('current_password_invalid');
  });

  test('429: limits password guesses with a session across all routes', async () => {
    const { cookie } = await signIn((await newUser()).email);
    const place = newAddress();
    const show = async (url: string, secret: string, from = place) =>
      (await call('POST', url, cookie, { current_password: secret }, from)).code;
    const routes = ['/two-factor', '/two-factor/disable', '/passkeys/challenge'];
    for (const url of [...routes, ...routes.slice(0, 2)])
      expect(await show(url, 'a wrong guess')).toBe('current_password_invalid');
    // Even the correct password is refused, because it is not checked while limited.
    for (const url of routes) expect(await show(url, password)).toBe('rate_limit_exceeded');
    expect(await show('/two-factor', password, newAddress())).toBeUndefined();
  });

  test('a recovery code works once in place of a code', async () => {
    const { user, recoveryCodes } = await createEnrolledUser();
    expect(new Set(recoveryCodes).size).toBe(10);
    const [code = ''] = recoveryCodes;
    expect((await complete(await challengeOf(user.email), code)).status).toBe(200);
    expect((await complete(await challengeOf(user.email), code)).status).toBe(401);
  });

  test('401: for a wrong code, after five wrong codes, and for a forged or used challenge', async () => {
    const { user, otpauthUrl } = await createEnrolledUser();
    const challenge = await challengeOf(user.email);
    const wrong = codeOf(otpauthUrl, 40);
    for (let round = 0; round < 5; round += 1) expect((await complete(challenge, wrong)).status).toBe(401);
    expect((await complete(challenge, codeOf(otpauthUrl))).status).toBe(401);
    expect((await complete('2fa-aaaaaaaaaaaaaaaaaaaa.bbbb', codeOf(otpauthUrl))).status).toBe(401);
    const good = await challengeOf(user.email);
    expect((await complete(good, codeOf(otpauthUrl))).status).toBe(200);
    expect((await complete(good, codeOf(otpauthUrl))).status).toBe(401);
  });

  test('can be disabled with the password, or by the operator', async () => {
    const first = await createEnrolledUser();
    const disabled = await call('POST', '/two-factor/disable', first.cookie, { current_password: password });
    expect([disabled.status, disabled.data]).toEqual([200, { enabled: false }]);
    expect((await call('GET', '', disabled.cookie)).data.is_two_factor_enabled).toBe(false);
    expect((await signIn(first.user.email)).status).toBe(200);

    const second = await createEnrolledUser();
    const reset = await resetPassword(operator, second.user.email);
    const secret = { email: second.user.email, password: reset.password };
    expect((await call('POST', '/sign-in', '', secret)).status).toBe(202);
    const without = await resetPassword(operator, second.user.email, { withSecondFactor: true });
    expect((await call('POST', '/sign-in', '', { ...secret, password: without.password })).status).toBe(200);
    const resets = (await auditEntries(kit, 'installation')).filter(
      ({ action }) => action === 'account.password_reset',
    );
    expect(resets.map(({ detail }) => detail)).toEqual([{}, { second_factor: 'removed' }]);
  });

  test('secret and recovery codes are not stored in plain text, and each change is audited', async () => {
    const { user, otpauthUrl, recoveryCodes } = await createEnrolledUser();
    const { rows } = await kit.owner.unbound.query(sql<{ row: string }>`SELECT t::text AS row FROM two_factors t`);
    const written = rows.map(({ row }) => row).join('\n');
    expect(written).toContain(user.id);
    const secret = new URL(otpauthUrl).searchParams.get('secret') ?? 'none';
    for (const text of [secret, ...recoveryCodes]) expect(written).not.toContain(text);
    await complete(await challengeOf(user.email), codeOf(otpauthUrl));
    const entries = await auditEntries(kit, 'installation');
    const own = entries.filter(({ target }) => target === `user:${user.id}`).map(({ action }) => action);
    expect(own).toEqual([
      'account.created',
      'account.signed_in',
      'account.two_factor_begun',
      'account.two_factor_enabled',
      'account.signed_in',
    ]);
  });
});

test('the sign-in of the consent page requires the second factor', async () => {
  const { user, otpauthUrl } = await createEnrolledUser();
  const post = (fields: Record<string, string>) =>
    api.fastify.inject({
      method: 'POST',
      url: '/oauth2/sign-in',
      headers: { ...sameOrigin, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ query: 'client_id=none', ...fields }).toString(),
      remoteAddress: newAddress(),
    });
  const page = await post({ email: user.email, password });
  const challenge = /name="challenge" value="([^"]+)"/.exec(page.body)?.[1] ?? '';
  expect([page.statusCode, page.headers['set-cookie'], challenge.length > 20]).toEqual([200, undefined, true]);
  const wrong = await post({ challenge, code: codeOf(otpauthUrl, 40) });
  expect([wrong.statusCode, wrong.headers['set-cookie']]).toEqual([401, undefined]);
  const right = await post({ challenge, code: codeOf(otpauthUrl) });
  expect([right.statusCode, right.headers.location]).toEqual([303, '/oauth2/consent?client_id=none']);
  const cookie = String(right.headers['set-cookie']).split(';', 1)[0];
  expect((await call('GET', '', cookie)).data.id).toBe(user.id);
});

describe('sessions', () => {
  test('are listed and ended only by their own user', async () => {
    const user = await newUser();
    const [here, there] = [await signIn(user.email), await signIn(user.email)];
    const otherUser = await signIn((await newUser()).email);
    const { data } = await call('GET', '/sessions', here.cookie);
    expect(data.map(({ is_current }: { is_current: boolean }) => is_current).sort()).toEqual([false, true]);
    const other = data.find(({ is_current }: { is_current: boolean }) => !is_current);
    expect((await call('DELETE', `/sessions/${other.id}`, otherUser.cookie)).status).toBe(404);
    expect((await call('DELETE', `/sessions/${other.id}`, here.cookie)).data).toEqual({ id: other.id, deleted: true });
    expect((await call('GET', '', there.cookie)).status).toBe(401);
    expect((await call('GET', '', here.cookie)).status).toBe(200);
    expect((await call('DELETE', `/sessions/${other.id}`, here.cookie)).status).toBe(404);
  });

  test('expire when idle and stay valid while used', async () => {
    const [used, idle] = [await signIn((await newUser()).email), await signIn((await newUser()).email)];
    const minute = 60_000;
    const readLastUse = async () => (await call('GET', '/sessions', used.cookie)).data[0].last_used_at;
    for (const wait of [30, 30]) {
      kit.clock.advance(wait * minute - 1_000);
      expect((await call('GET', '', used.cookie)).status).toBe(200);
      await expect.poll(readLastUse).toBe(kit.clock.now().toISOString());
    }
    kit.clock.advance(2 * minute);
    expect((await call('GET', '', idle.cookie)).status).toBe(401);
    expect((await call('GET', '', used.cookie)).status).toBe(200);
    kit.clock.advance((idleMinutes + 1) * minute);
    expect((await call('GET', '', used.cookie)).status).toBe(401);
  });
});
