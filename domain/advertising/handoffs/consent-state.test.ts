import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { beginConsent, cookieHeader, readCookies, verifyReturn } from './consent-state.ts';

const key = { id: 'a', bytes: Buffer.alloc(32, 1) };
const older = { id: 'b', bytes: Buffer.alloc(32, 2) };
const now = new Date('2026-03-01T12:00:00Z');
const after = (minutes: number) => new Date(now.getTime() + minutes * 60_000);
const at = {
  profileId: '01890000-0000-7000-8000-000000000001',
  workspaceId: '01890000-0000-7000-8000-000000000002',
  id: '01890000-0000-7000-8000-000000000003',
};
const other = { ...at, id: '01890000-0000-7000-8000-000000000004' };

test('state and cookie verify, also after a key rotation, and give the verifier', () => {
  const { state, cookie, codeChallenge } = beginConsent(older, at, now);
  const returned = verifyReturn([key, older], { state, cookies: [cookie] }, after(14.9));
  expect(returned).toEqual({ verdict: 'valid', at, codeVerifier: expect.stringMatching(/^[\w-]{43}$/) });
  const { codeVerifier } = returned as { codeVerifier: string };
  expect(createHash('sha256').update(codeVerifier).digest('base64url')).toBe(codeChallenge);
  expect(`${state}${cookie}`).not.toContain(codeVerifier);
  expect(verifyReturn([key], { state, cookies: [cookie] }, now)).toEqual({ verdict: 'invalid', at: undefined });
});

test('state and cookie expire after 15 minutes', () => {
  const { state, cookie } = beginConsent(key, at, now);
  expect(verifyReturn([key], { state, cookies: [cookie] }, after(15)).verdict).toBe('expired');
  expect(verifyReturn([key], { state, cookies: [] }, after(15))).toEqual({ verdict: 'expired_elsewhere', at });
  expect(cookieHeader(at, 'v', true)).toBe(
    `__Host-connect-${at.id}=v; Max-Age=900; Path=/; HttpOnly; SameSite=Lax; Secure`,
  );
});

test('a state does not verify with the cookie of another browser, hand-off or start', () => {
  const { state, cookie } = beginConsent(key, at, now);
  const strangers = [beginConsent(key, at, now).cookie, beginConsent(key, other, now).cookie, state, '', 'x.y'];
  for (const stranger of strangers)
    expect(verifyReturn([key], { state, cookies: [stranger] }, now)).toEqual({ verdict: 'invalid', at });
  expect(verifyReturn([key], { state, cookies: [...strangers, cookie] }, now).verdict).toBe('valid');
  expect(verifyReturn([key], { state: cookie, cookies: [cookie] }, now)).toEqual({ verdict: 'invalid', at });
});

test('a modified state is invalid, and only the cookie identifies the hand-off', () => {
  const { state, cookie } = beginConsent(key, at, now);
  const broken = [
    '',
    '.',
    `${state}.`,
    `${state}A`,
    `${state}=`,
    state.slice(1),
    state.slice(0, -1),
    'x'.repeat(5_000),
  ];
  for (let place = 0; place < state.length; place += 1) {
    const letter = state[place] === 'A' ? 'B' : 'A';
    broken.push(state.slice(0, place) + letter + state.slice(place + 1));
  }
  for (const one of broken) {
    expect(verifyReturn([key], { state: one, cookies: [cookie] }, now)).toEqual({ verdict: 'invalid', at });
    expect(verifyReturn([key], { state: one, cookies: [] }, now)).toEqual({ verdict: 'invalid', at: undefined });
  }
  const two = [cookie, beginConsent(key, other, now).cookie];
  expect(verifyReturn([key], { state: '', cookies: two }, now)).toEqual({ verdict: 'invalid', at: undefined });
});

test('finds its cookies among others', () => {
  const header = `session=1; __Host-connect-${at.id}=one; connect-${at.id}=planted;__Host-connect-2=two=`;
  expect(readCookies(header, true)).toEqual(['one', 'two=']);
  expect(readCookies(header, false)).toEqual(['planted']);
  expect(readCookies(null, true)).toEqual([]);
  expect(readCookies('__Host-connect-1=x;'.repeat(100), true)).toHaveLength(20);
});
