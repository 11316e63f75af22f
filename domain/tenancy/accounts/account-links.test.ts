import { createMailer } from '@tributary/outbound';
import { auditEntries, buildMember, buildProfile, openTest } from '@tributary/testkit';
import { startMailServer } from '@tributary/testkit/mail-server';
import { limits, minuteMs } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { sendPasswordReset } from './module.ts';

const { kit, api } = await openTest();
kit.clock.set(new Date());
const mails = await startMailServer();
const mailer = createMailer({ url: mails.url, from: 'Tributary <no-reply@tributary.test>' });
afterAll(async () => {
  mailer.close();
  await mails.stop();
});
beforeEach(() => {
  mails.received.length = 0;
});

let callers = 0;
const post = async (url: string, body: object, headers: Record<string, string> = {}) => {
  callers += 1;
  const response = await api.fastify.inject({
    method: 'POST',
    url: `/api/v1${url}`,
    headers: { 'content-type': 'application/json', ...headers },
    payload: JSON.stringify(body),
    remoteAddress: `2001:db8:${callers.toString(16)}::5`,
  });
  const answer = response.json();
  return { status: response.statusCode, data: answer.data, error: answer.error };
};

describe('POST /invitations/read', () => {
  test('returns workspace, role, inviter and expiry, and 404 for an unknown token', async () => {
    const { workspaceId } = await buildProfile(kit.app);
    const owner = await buildMember(kit.app, workspaceId, 'owner');
    const created = await post(`/workspaces/${workspaceId}/invitations`, { role: 'analyst' }, owner.headers());
    const { token } = created.data;
    expect(await post('/invitations/read', { token })).toMatchObject({
      status: 200,
      data: { role: 'analyst', email: null, inviter_name: expect.any(String), workspace_name: expect.any(String) },
    });
    const wrong = `${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`;
    expect((await post('/invitations/read', { token: wrong })).error.code).toBe('not_found');
    await post('/invitations/accept', { token, name: 'Noa', email: 'noa@example.com', password: 'vague otter lamp' });
    expect((await post('/invitations/read', { token })).error).toMatchObject({
      code: 'invalid_state',
      reason: 'accepted',
    });
  });
});

describe('password reset', () => {
  const request = (email: string) => post('/account/password-resets', { email });

  /** Runs the queued jobs like the worker. */
  async function send(): Promise<string[]> {
    const { rows } = await kit.system.unbound.query(
      sql<{ data: { userId: string; language: 'en' | 'es' } }>`
        DELETE FROM pgboss.job WHERE name = 'send-password-reset' RETURNING data`,
    );
    const mailing = { app: kit.app, mailer, baseUrl: 'https://tributary.test', now: () => kit.clock.now() };
    for (const { data } of rows) await sendPasswordReset(mailing, data);
    return mails.received.map(({ text }) => /#(trib_reset_\w+)/.exec(text)?.[1] ?? '');
  }

  test('the response does not reveal whether an address has an account, and only a member gets a mail', async () => {
    const member = await buildMember(kit.app, (await buildProfile(kit.app)).workspaceId);
    const [known, unknown] = [await request(member.email), await request('nobody@example.com')];
    expect(known).toEqual(unknown);
    expect(known.status).toBe(202);
    await send();
    expect(mails.received.map(({ to }) => to)).toEqual([member.email]);
    expect(mails.received[0]?.raw).not.toContain('List-Unsubscribe');
  });

  test('a second request within the pause sends no second mail; a later one replaces the link', async () => {
    const member = await buildMember(kit.app, (await buildProfile(kit.app)).workspaceId);
    await request(member.email);
    const [first] = await send();
    await request(member.email);
    await send();
    expect(mails.received).toHaveLength(1);
    kit.clock.set(new Date(kit.clock.now().getTime() + limits.passwordReset.pauseMinutes * minuteMs));
    await request(member.email);
    const [, second] = await send();
    const complete = (token = '') =>
      post('/account/password-resets/complete', { token, new_password: 'slow violet harbor' });
    expect((await complete(first)).error.code).toBe('not_found');
    expect((await complete(second)).status).toBe(200);
  });

  test('completing a reset ends every session, works once and is audited; an expired link is refused', async () => {
    const member = await buildMember(kit.app, (await buildProfile(kit.app)).workspaceId);
    await request(member.email);
    const [token = ''] = await send();
    const complete = (password: string) => post('/account/password-resets/complete', { token, new_password: password });
    expect((await complete('short')).error.code).toBe('weak_password');
    const done = await complete('slow violet harbor');
    expect([done.status, done.data.changed]).toEqual([200, true]);
    const session = await api.fastify.inject({ method: 'GET', url: '/api/v1/account', headers: member.headers() });
    expect(session.statusCode).toBe(401);
    expect((await complete('slow violet harbor')).error.code).toBe('not_found');
    const entries = await auditEntries(kit, 'installation');
    expect(entries.filter(({ action }) => action === 'account.password_reset')).toHaveLength(2);

    kit.clock.set(new Date(kit.clock.now().getTime() + limits.passwordReset.pauseMinutes * minuteMs));
    await request(member.email);
    const late = (await send()).at(-1) ?? '';
    kit.clock.set(new Date(kit.clock.now().getTime() + limits.passwordReset.lifeMinutes * minuteMs));
    const expired = await post('/account/password-resets/complete', {
      token: late,
      new_password: 'slow violet harbor',
    });
    expect(expired.error.code).toBe('not_found');
  });
});
