import { ProviderFault } from '@tributary/providers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../index.ts';
import { callTo, completeConsent } from '../testing.ts';
import { metaAt } from './meta.fixture.ts';

const now = new Date('2026-03-10T12:00:00Z');
const redirectUri = 'http://127.0.0.1:4000/handoff/callback';
let sandbox: Sandbox;
const meta = () => metaAt(sandbox);
const connect = () => meta().connect ?? expect.unreachable();

beforeAll(async () => {
  sandbox = await startSandbox({ seed: 3, now: () => now });
});
afterAll(() => sandbox.close());

describe('a Meta consent', () => {
  it('yields a long-lived token and the shared accounts with their pixels and pages', async () => {
    const url = connect().authorizeUrl({ redirectUri, state: 'signed' });
    const [first] = sandbox.book.meta.state.accounts;
    const query = await completeConsent(url, { accounts: [first?.id ?? ''] });
    expect(query.state).toBe('signed');
    const back = connect().readCallback(query);
    if (!('code' in back)) return expect.unreachable();
    const call = callTo(sandbox, now);
    const credentials = await connect().exchange({ code: back.code, redirectUri }, call);
    expect(credentials.expiresAt).toBe('2026-05-09T11:59:04.000Z');
    const candidates = await connect().candidates(credentials, call);
    expect(candidates).toMatchObject([
      { externalId: first?.id, name: first?.name, details: { currency: first?.currency, timeZone: 'UTC' } },
    ]);
    expect(candidates[0]?.granted).toContain('ads_management');

    const account = { externalId: first?.id ?? '', credentials, details: {} };
    expect(await meta().pixels?.(account, call)).toEqual([
      {
        id: first?.pixels[0]?.id,
        name: 'Shop',
        createdAt: '2024-05-01T10:00:00.000Z',
        lastFiredAt: '2026-01-05T08:30:00.000Z',
        isUnavailable: false,
        ownerBusiness: { id: '5000001', name: 'Sandbox business' },
      },
      expect.objectContaining({ lastFiredAt: null, isUnavailable: true }),
    ]);
    expect(await meta().pages?.(account, call)).toEqual([
      { id: '7000001', name: 'Sandbox shop' },
      { id: '7000002', name: 'Sandbox outlet' },
    ]);

    await expect(connect().exchange({ code: back.code, redirectUri }, call)).rejects.toMatchObject({
      details: { code: '100/36009', verdict: 'refused' },
    });
    await connect().revoke?.(account, call);
    await expect(connect().candidates(credentials, call)).rejects.toMatchObject({
      details: { code: '190/458', verdict: 'reconnect' },
    });
  });

  it('distinguishes a refusal by the user, a refusal by Meta and an outage', async () => {
    const url = connect().authorizeUrl({ redirectUri, state: 's' });
    expect(connect().readCallback(await completeConsent(url, { answer: 'cancel' }))).toEqual({
      reason: 'user_cancelled',
    });
    expect(connect().readCallback(await completeConsent(url, { answer: 'fail' }))).toEqual({
      reason: 'provider_error',
    });
    expect(connect().readCallback({ error: 'invalid_scope' })).toEqual({ reason: 'provider_denied' });
    expect(connect().readCallback({})).toEqual({ reason: 'provider_error' });
  });

  it('refuses a code for another redirect, and reports missing permissions', async () => {
    const url = connect().authorizeUrl({ redirectUri, state: 's' });
    const call = callTo(sandbox, now);
    const { code = '' } = await completeConsent(url, { without: ['ads_management', 'pages_show_list'] });
    await expect(connect().exchange({ code, redirectUri: `${redirectUri}/x` }, call)).rejects.toThrow(ProviderFault);
    const { code: again = '' } = await completeConsent(url, { without: ['ads_management', 'pages_show_list'] });
    const credentials = await connect().exchange({ code: again, redirectUri }, call);
    const [candidate] = await connect().candidates(credentials, call);
    expect(candidate?.granted).not.toContain('ads_management');
    const account = { externalId: candidate?.externalId ?? '', credentials, details: {} };
    await expect(meta().pages?.(account, call)).rejects.toMatchObject({ details: { verdict: 'needs_action' } });
  });
});
