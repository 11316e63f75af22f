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
  test('is for somebody without an account, in their language, and looking spends nothing [hand-006] [hand-078]', async () => {
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

  test('that nobody minted leads nowhere, and says so', async () => {
    for (const path of ['/connect/nonsense', `/connect/${'A'.repeat(43)}`, `/connect/${'A'.repeat(43)}/start`]) {
      const page = await openBrowser(api).open(`https://tributary.test${path}`);
      expect([page.status, page.body.includes('leads nowhere')]).toEqual([404, true]);
    }
    expect((await openBrowser(api).open('https://tributary.test/connect/callback/store')).status).toBe(404);
  });
});

describe('a consent', () => {
  test('to one account connects it, and says so on a read, the bounce and to subscribers [hand-016] [hand-017] [hand-083] [evnt-011]', async () => {
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
    expect(back.told).toEqual({
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

  test('to several leaves a choice, sealed, for 60 minutes [hand-018] [hand-048] [hand-049] [hand-085]', async () => {
    const { handoff, browser, consent } = await begin(shop, 'search_ads');
    const back = await browser.open(company.approve(consent, 'one', 'two', 'three'));
    const expires_at = new Date(kit.clock.now().getTime() + 60 * 60_000).toISOString();
    expect((await shop.read(handoff.id)).result).toEqual({
      provider: 'search_ads',
      pending_selection: { candidate_count: 3, expires_at },
    });
    expect(back.told).toMatchObject({ status: 'pending_selection', candidate_count: '3' });
    expect(back.to).not.toContain('one');
    expect(await rowsOf(shop, 'connections')).toBe(0);
    const { rows } = await kit.owner.unbound.query(
      sql<{ row: string }>`SELECT encode(parked, 'escape') AS row FROM pending_selections`,
    );
    for (const { row } of rows) expect(row).not.toMatch(/token-|three/);
    expect((await eventsOf(shop)).map(({ type }) => type)).toEqual(['handoff.completed']);
  });

  test('four states, with a moment and a result for all but the first [hand-010] [hand-011] [hand-012] [conv-004]', async () => {
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

  test('uses PKCE where the provider does, with a verifier of its own [hand-007]', async () => {
    const one = await begin(shop, 'search_ads');
    const two = await begin(shop, 'search_ads');
    const challenge = (url: string) => new URL(url).searchParams.get('challenge');
    expect(challenge(one.consent)).toMatch(/^[\w-]{43}$/);
    expect(challenge(one.consent)).not.toBe(challenge(two.consent));
    expect(challenge((await begin(shop, 'crm_a')).consent)).toBeNull();
    // A code that was given for another challenge.
    const stolen = new URL(company.approve(two.consent, freshAccount()));
    const mine = new URL(company.answer(one.consent, { code: stolen.searchParams.get('code') ?? '' }));
    expect((await one.browser.open(mine.href)).told).toMatchObject({ reason: 'token_exchange_failed' });
  });

  test('without a return address ends on a page', async () => {
    const { browser, consent, handoff } = await begin(shop, 'social_ads', {});
    const end = await browser.open(company.approve(consent, freshAccount()));
    expect([end.status, end.body.includes('It is connected')]).toEqual([200, true]);
    expect((await browser.open(handoff.url)).body).toContain('It is connected');
  });
});

describe('it goes wrong', () => {
  const failures: readonly [string, (consent: string) => string, string, string][] = [
    ['cancelled there', (url) => company.answer(url, { error: 'access_denied' }), 'cancelled', 'user_cancelled'],
    ['turned down', (url) => company.answer(url, { error: 'invalid_scope' }), 'failed', 'provider_denied'],
    ['broken', (url) => company.answer(url, { error: 'server_error' }), 'failed', 'provider_error'],
    ['without a code', (url) => company.answer(url, {}), 'failed', 'provider_error'],
    ['with a false code', (url) => company.answer(url, { code: 'false' }), 'failed', 'token_exchange_failed'],
    ['with nothing to connect', (url) => company.approve(url), 'failed', 'no_candidates'],
  ];

  test('each reason, on a read and on the bounce, with nothing written [hand-019] [hand-020] [hand-021] [hand-024]', async () => {
    for (const [what, answer, status, reason] of failures) {
      const { handoff, browser, consent } = await begin(shop);
      const { told } = await browser.open(answer(consent));
      expect([what, told]).toEqual([what, expect.objectContaining({ status, reason })]);
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
    const told = async (answer: typeof cancelled) => {
      const { browser, consent } = await begin(shop);
      return (await browser.open(answer?.(consent) ?? '')).told;
    };
    expect(await told(cancelled)).toMatchObject({ status: 'cancelled', reason: 'user_cancelled' });
    expect(await told(denied)).toMatchObject({ status: 'failed', reason: 'provider_denied' });
    expect(await told(broken)).toMatchObject({ status: 'failed', reason: 'provider_error' });
  });

  test('token_exchange_failed and no_candidates; the reason stands on the bounce [hand-028] [hand-031] [hand-084] [hand-089]', async () => {
    const refused = await begin(shop);
    company.faults = [{ path: '/token', status: 400 }];
    const bounce = await refused.browser.open(company.approve(refused.consent, freshAccount()));
    expect(bounce.told).toMatchObject({ status: 'failed', reason: 'token_exchange_failed' });
    const nothing = await begin(shop);
    expect((await nothing.browser.open(company.approve(nothing.consent))).told).toMatchObject({
      status: 'failed',
      reason: 'no_candidates',
    });
    expect((await shop.read(nothing.handoff.id)).result).toEqual({ provider: 'social_ads', reason: 'no_candidates' });
  });

  test('what passes leaves it open, and the same link works at once [hand-033] [hand-034]', async () => {
    const { handoff, browser, consent } = await begin(shop);
    for (const path of ['/token', '/accounts'] as const) {
      company.faults = [{ path, status: 503 }];
      const again = path === '/token' ? consent : ((await browser.open(handoff.start_url)).to ?? '');
      const { told } = await browser.open(company.approve(again, 'passing'));
      expect(told).toMatchObject({ status: 'failed', reason: 'internal_error' });
      expect(await shop.read(handoff.id)).toMatchObject({ status: 'pending', result: null });
      expect(await rowsOf(shop, 'connections')).toBe(0);
    }
    const { to = '' } = await browser.open(handoff.start_url);
    expect((await browser.open(company.approve(to, freshAccount()))).told).toMatchObject({ status: 'success' });
  });

  test('the account is a sister’s; another workspace may have it too [hand-029] [hand-030] [hand-053]', async () => {
    const account = freshAccount();
    const first = await begin(shop, 'crm_a');
    await first.browser.open(company.approve(first.consent, account));
    const holder = shop;
    shop = await openShop(kit, api, { workspaceId: holder.workspaceId });
    const sister = await begin(shop, 'crm_a');
    const { told } = await sister.browser.open(company.approve(sister.consent, account));
    expect(told).toMatchObject({ status: 'failed', reason: 'account_connected_elsewhere' });
    expect((await shop.read(sister.handoff.id)).result).toEqual({
      provider: 'crm_a',
      reason: 'account_connected_elsewhere',
    });
    expect(await rowsOf(shop, 'connections')).toBe(0);
    expect(await eventsOf(shop)).toEqual([]);
    shop = await openShop(kit, api);
    const stranger = await begin(shop, 'crm_a');
    const other = await stranger.browser.open(company.approve(stranger.consent, account));
    expect(other.told).toMatchObject({ status: 'success' });
  });

  test('connect_failed: it could not be stored, and nothing was [hand-032]', async () => {
    const { handoff, browser, consent } = await begin(shop);
    // A name that PostgreSQL cannot hold.
    const { told } = await browser.open(company.approve(consent, 'nul-\u0000'));
    expect(told).toMatchObject({ status: 'failed', reason: 'connect_failed' });
    expect((await shop.read(handoff.id)).result.reason).toBe('connect_failed');
    expect(await rowsOf(shop, 'connections')).toBe(0);
  });

  test('provider_not_configured: told at the start [hand-041]', async () => {
    const { data } = await shop.mint('payments_b', { return_url: returnUrl });
    expect((await openBrowser(api).open(data.url)).status).toBe(200);
    const { told } = await openBrowser(api).open(data.start_url);
    expect(told).toMatchObject({ status: 'failed', reason: 'provider_not_configured' });
    expect((await shop.read(data.id)).result).toEqual({ provider: 'payments_b', reason: 'provider_not_configured' });
  });

  test('origin_not_allowed: nobody is sent there any more, and only a read says so [hand-042] [hand-043]', async () => {
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
