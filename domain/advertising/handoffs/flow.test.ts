import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { openBrowser, openFlow, openShop, returnUrl, setOrigins } from './handoffs.fixture.ts';

const { kit, api, company, begin, freshAccount, rowsOf, eventsOf } = await openFlow();
let shop = await openShop(kit, api);
beforeEach(async () => {
  company.faults = [];
  shop = await openShop(kit, api);
});

describe('the page', () => {
  test('needs no account, uses the browser’s language, and changes nothing [hand-006] [hand-078]', async () => {
    const { data } = await shop.mint('social_ads', { return_url: returnUrl });
    for (let look = 0; look < 5; look += 1) await openBrowser(api).open(data.url);
    const page = await openBrowser(api).open(data.url);
    expect(page.status).toBe(200);
    expect(page.body).toContain('<html lang="en">');
    expect(page.body).toContain('Connect Compañía &amp; Co');
    expect(page.body).toContain(`Profile ${shop.mark}`);
    expect(page.body).toContain('app.example.com');
    expect(page.body).toContain(`href="${new URL(data.start_url).pathname}"`);
    expect(page.headers).not.toHaveProperty('set-cookie');
    expect(page.headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
    });
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'nonce-[\w-]+'; /);
    expect(page.body).not.toContain('<script');
    const spanish = await openBrowser(api, 'es-CL,es;q=0.9').open(data.url);
    expect(spanish.body).toContain('<html lang="es">');
    expect(spanish.body).toContain('Conectar Compañía &amp; Co');
    for (let look = 0; look < 3; look += 1) await openBrowser(api).open(data.start_url);
    expect((await shop.read(data.id)).status).toBe('pending');
  });

  test('of an unknown link is 404 with an explanation', async () => {
    for (const path of ['/connect/nonsense', `/connect/${'A'.repeat(43)}`, `/connect/${'A'.repeat(43)}/start`]) {
      const page = await openBrowser(api).open(`https://tributary.test${path}`);
      expect([page.status, page.body.includes('leads nowhere')]).toEqual([404, true]);
    }
    expect((await openBrowser(api).open('https://tributary.test/connect/callback/store')).status).toBe(404);
  });
});

describe('a consent', () => {
  test('to one account connects it, and reports it in reads, the redirect and an event [hand-016] [hand-017] [hand-083] [evnt-011]', async () => {
    const { handoff, browser, consent } = await begin(shop);
    const account = freshAccount();
    const back = await browser.open(company.approve(consent, account));
    const read = await shop.read(handoff.id);
    const { connection_id } = read.result;
    expect(read).toMatchObject({
      status: 'completed',
      completed_at: kit.clock.now().toISOString(),
      result: { provider: 'social_ads', connection_id: expect.any(String) },
    });
    expect(back.status).toBe(303);
    expect(back.outcome).toEqual({
      step: '2',
      connect: 'social_ads',
      provider: 'social_ads',
      status: 'success',
      profile_id: shop.id,
      handoff_id: handoff.id,
    });
    const { data: connections } = await shop.call('GET', '/api/v1/connections');
    expect(connections).toMatchObject([{ id: connection_id, channel: 'social_ads', status: 'connected' }]);
    const events = await eventsOf(shop);
    expect(events.map(({ type }) => type)).toEqual(['connection.connected', 'handoff.completed']);
    expect(events[1]?.payload).toEqual({
      profile_id: shop.id,
      handoff_id: handoff.id,
      provider: 'social_ads',
      connection_id,
      pending_selection: null,
    });
  });

  test('to several accounts stores an encrypted selection for 60 minutes [hand-018] [hand-048] [hand-049] [hand-085]', async () => {
    const { handoff, browser, consent } = await begin(shop, 'search_ads');
    const back = await browser.open(company.approve(consent, 'one', 'two', 'three'));
    const expires_at = new Date(kit.clock.now().getTime() + 60 * 60_000).toISOString();
    expect((await shop.read(handoff.id)).result).toEqual({
      provider: 'search_ads',
      pending_selection: { candidate_count: 3, expires_at },
    });
    expect(back.outcome).toMatchObject({ status: 'pending_selection', candidate_count: '3' });
    expect(back.to).not.toContain('one');
    expect(await rowsOf(shop, 'connections')).toBe(0);
    const { rows } = await kit.owner.unbound.query(
      sql<{ row: string }>`SELECT encode(parked, 'escape') AS row FROM pending_selections`,
    );
    for (const { row } of rows) expect(row).not.toMatch(/token-|three/);
    expect((await eventsOf(shop)).map(({ type }) => type)).toEqual(['handoff.completed']);
  });

  test('has four states, and a time and a result in all but the first [hand-010] [hand-011] [hand-012] [conv-004]', async () => {
    const answers = {
      completed: (url: string) => company.approve(url, freshAccount()),
      failed: (url: string) => company.answer(url, { error: 'server_error' }),
      cancelled: (url: string) => company.answer(url, { error: 'access_denied' }),
    };
    for (const [status, answer] of Object.entries(answers)) {
      const { handoff, browser, consent } = await begin(shop);
      expect(await shop.read(handoff.id)).toMatchObject({ status: 'pending', completed_at: null, result: null });
      await browser.open(answer(consent));
      const completed_at = kit.clock.now().toISOString();
      expect(await shop.read(handoff.id)).toMatchObject({ status, completed_at, result: { provider: 'social_ads' } });
    }
    const { data } = await shop.call('GET', '/api/v1/connections?channel=social_ads');
    expect(data).toHaveLength(1);
  });

  test('uses PKCE if the provider does, with a separate verifier [hand-007]', async () => {
    const one = await begin(shop, 'search_ads');
    const two = await begin(shop, 'search_ads');
    const challenge = (url: string) => new URL(url).searchParams.get('challenge');
    expect(challenge(one.consent)).toMatch(/^[\w-]{43}$/);
    expect(challenge(one.consent)).not.toBe(challenge(two.consent));
    expect(challenge((await begin(shop, 'crm_a')).consent)).toBeNull();
    // A code that was issued for another challenge.
    const stolen = new URL(company.approve(two.consent, freshAccount()));
    const mine = new URL(company.answer(one.consent, { code: stolen.searchParams.get('code') ?? '' }));
    expect((await one.browser.open(mine.href)).outcome).toMatchObject({ reason: 'token_exchange_failed' });
  });

  test('without a return URL ends on a page', async () => {
    const { browser, consent, handoff } = await begin(shop, 'social_ads', {});
    const end = await browser.open(company.approve(consent, freshAccount()));
    expect([end.status, end.body.includes('It is connected')]).toEqual([200, true]);
    expect((await browser.open(handoff.url)).body).toContain('It is connected');
  });
});

describe('failures', () => {
  const failures: readonly [string, (consent: string) => string, string, string][] = [
    [
      'cancelled at the provider',
      (url) => company.answer(url, { error: 'access_denied' }),
      'cancelled',
      'user_cancelled',
    ],
    ['denied by the provider', (url) => company.answer(url, { error: 'invalid_scope' }), 'failed', 'provider_denied'],
    ['failed at the provider', (url) => company.answer(url, { error: 'server_error' }), 'failed', 'provider_error'],
    ['without a code', (url) => company.answer(url, {}), 'failed', 'provider_error'],
    ['with an invalid code', (url) => company.answer(url, { code: 'false' }), 'failed', 'token_exchange_failed'],
    ['without an account', (url) => company.approve(url), 'failed', 'no_candidates'],
  ];

  test('each reason is in reads and in the redirect, and nothing is stored [hand-019] [hand-020] [hand-021] [hand-024]', async () => {
    for (const [what, answer, status, reason] of failures) {
      const { handoff, browser, consent } = await begin(shop);
      const { outcome } = await browser.open(answer(consent));
      expect([what, outcome]).toEqual([what, expect.objectContaining({ status, reason })]);
      expect(await shop.read(handoff.id)).toMatchObject({
        status,
        completed_at: kit.clock.now().toISOString(),
        result: { provider: 'social_ads', reason },
      });
    }
    expect([await rowsOf(shop, 'connections'), await rowsOf(shop, 'pending_selections')]).toEqual([0, 0]);
    expect(await eventsOf(shop)).toEqual([]);
  });

  test('user_cancelled, provider_denied and provider_error [hand-025] [hand-026] [hand-027]', async () => {
    const [cancelled, denied, broken] = failures.map(([, answer]) => answer);
    const outcome = async (answer: typeof cancelled) => {
      const { browser, consent } = await begin(shop);
      return (await browser.open(answer?.(consent) ?? '')).outcome;
    };
    expect(await outcome(cancelled)).toMatchObject({ status: 'cancelled', reason: 'user_cancelled' });
    expect(await outcome(denied)).toMatchObject({ status: 'failed', reason: 'provider_denied' });
    expect(await outcome(broken)).toMatchObject({ status: 'failed', reason: 'provider_error' });
  });

  test('token_exchange_failed and no_candidates are in the redirect [hand-028] [hand-031] [hand-084] [hand-089]', async () => {
    const refused = await begin(shop);
    company.faults = [{ path: '/token', status: 400 }];
    const bounce = await refused.browser.open(company.approve(refused.consent, freshAccount()));
    expect(bounce.outcome).toMatchObject({ status: 'failed', reason: 'token_exchange_failed' });
    const nothing = await begin(shop);
    expect((await nothing.browser.open(company.approve(nothing.consent))).outcome).toMatchObject({
      status: 'failed',
      reason: 'no_candidates',
    });
    expect((await shop.read(nothing.handoff.id)).result).toEqual({ provider: 'social_ads', reason: 'no_candidates' });
  });

  test('a temporary failure leaves the hand-off open, and the same link works at once [hand-033] [hand-034]', async () => {
    const { handoff, browser, consent } = await begin(shop);
    for (const path of ['/token', '/accounts'] as const) {
      company.faults = [{ path, status: 503 }];
      const again = path === '/token' ? consent : ((await browser.open(handoff.start_url)).to ?? '');
      const { outcome } = await browser.open(company.approve(again, 'passing'));
      expect(outcome).toMatchObject({ status: 'failed', reason: 'internal_error' });
      expect(await shop.read(handoff.id)).toMatchObject({ status: 'pending', result: null });
      expect(await rowsOf(shop, 'connections')).toBe(0);
    }
    const { to = '' } = await browser.open(handoff.start_url);
    expect((await browser.open(company.approve(to, freshAccount()))).outcome).toMatchObject({ status: 'success' });
  });

  test('an account of another profile of the workspace is refused; another workspace may connect it, too [hand-029] [hand-030] [hand-053]', async () => {
    const account = freshAccount();
    const first = await begin(shop, 'crm_a');
    await first.browser.open(company.approve(first.consent, account));
    const holder = shop;
    shop = await openShop(kit, api, { workspaceId: holder.workspaceId });
    const sister = await begin(shop, 'crm_a');
    const { outcome } = await sister.browser.open(company.approve(sister.consent, account));
    expect(outcome).toMatchObject({ status: 'failed', reason: 'account_connected_elsewhere' });
    expect((await shop.read(sister.handoff.id)).result).toEqual({
      provider: 'crm_a',
      reason: 'account_connected_elsewhere',
    });
    expect(await rowsOf(shop, 'connections')).toBe(0);
    expect(await eventsOf(shop)).toEqual([]);
    shop = await openShop(kit, api);
    const stranger = await begin(shop, 'crm_a');
    const other = await stranger.browser.open(company.approve(stranger.consent, account));
    expect(other.outcome).toMatchObject({ status: 'success' });
  });

  test('connect_failed: a storage error stores nothing [hand-032]', async () => {
    const { handoff, browser, consent } = await begin(shop);
    // PostgreSQL cannot store this name.
    const { outcome } = await browser.open(company.approve(consent, 'nul-\u0000'));
    expect(outcome).toMatchObject({ status: 'failed', reason: 'connect_failed' });
    expect((await shop.read(handoff.id)).result.reason).toBe('connect_failed');
    expect(await rowsOf(shop, 'connections')).toBe(0);
  });

  test('provider_not_configured is reported at the start [hand-041]', async () => {
    const { data } = await shop.mint('payments_b', { return_url: returnUrl });
    expect((await openBrowser(api).open(data.url)).status).toBe(200);
    const { outcome } = await openBrowser(api).open(data.start_url);
    expect(outcome).toMatchObject({ status: 'failed', reason: 'provider_not_configured' });
    expect((await shop.read(data.id)).result).toEqual({ provider: 'payments_b', reason: 'provider_not_configured' });
  });

  test('origin_not_allowed prevents the redirect and is only in reads [hand-042] [hand-043]', async () => {
    const atStart = await shop.mint('social_ads', { return_url: returnUrl });
    const underway = await begin(shop);
    const done = await begin(shop);
    await done.browser.open(company.approve(done.consent, freshAccount()));
    await setOrigins(kit, shop.appId, { redirectUris: ['https://elsewhere.example/'] });
    const before = await rowsOf(shop, 'connections');
    const pages = [
      await openBrowser(api).open(atStart.data.start_url),
      await underway.browser.open(company.approve(underway.consent, freshAccount())),
      await openBrowser(api).open(done.handoff.start_url),
    ];
    for (const page of pages) expect([page.status, page.to]).toEqual([200, undefined]);
    for (const id of [atStart.data.id, underway.handoff.id])
      expect((await shop.read(id)).result).toEqual({ provider: 'social_ads', reason: 'origin_not_allowed' });
    expect(await rowsOf(shop, 'connections')).toBe(before);
  });
});
