import { createOutbound, localDevelopmentTargets } from '@tributary/outbound';
import { buildProfile, openTest } from '@tributary/testkit';
import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { Company } from './consent.fixture.ts';
import { openBrowser, openShop, returnUrl, setOrigins } from './handoffs.fixture.ts';

const company = await new Company().open();
afterAll(() => company.close());
const providerOutbound = createOutbound({ timeoutMs: 2_000, policy: localDevelopmentTargets });
const { kit, api } = await openTest({ providers: company.providers(), providerOutbound });
let shop = await openShop(kit, api);
beforeEach(async () => {
  company.faults = [];
  shop = await openShop(kit, api);
});

const minutes = (count: number) => kit.clock.advance(count * 60_000);
let accounts = 0;
const freshAccount = () => {
  accounts += 1;
  return `act_${accounts}`;
};

/** A hand-off whose consent page is open in a browser. */
async function begin(provider = 'social_ads', body: object = { return_url: returnUrl }) {
  const { data } = await shop.mint(provider, body);
  const browser = openBrowser(api);
  const { to = '', status } = await browser.open(data.start_url);
  expect(status).toBe(303);
  return { handoff: data as Record<'id' | 'url' | 'start_url' | 'expires_at', string>, browser, consent: to };
}

const rowsOf = async (table: 'connections' | 'pending_selections') =>
  (await kit.app.forProfile(shop.id).transaction((tx) => tx.selectFrom(table).selectAll().execute())).length;
const eventsOf = async () =>
  (
    await kit.app
      .forProfile(shop.id)
      .transaction((tx) =>
        sql<{
          type: string;
          payload: object;
        }>`SELECT type, payload FROM outbox WHERE profile_id = ${shop.id} ORDER BY id`.execute(tx),
      )
  ).rows;

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
    const { handoff, browser, consent } = await begin();
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
    const events = await eventsOf();
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
    const { handoff, browser, consent } = await begin('search_ads');
    const back = await browser.open(company.approve(consent, 'one', 'two', 'three'));
    const expires_at = new Date(kit.clock.now().getTime() + 60 * 60_000).toISOString();
    expect((await shop.read(handoff.id)).result).toEqual({
      provider: 'search_ads',
      pending_selection: { candidate_count: 3, expires_at },
    });
    expect(back.told).toMatchObject({ status: 'pending_selection', candidate_count: '3' });
    expect(back.to).not.toContain('one');
    expect(await rowsOf('connections')).toBe(0);
    const { rows } = await kit.owner.unbound.query(
      sql<{ row: string }>`SELECT encode(parked, 'escape') AS row FROM pending_selections`,
    );
    for (const { row } of rows) expect(row).not.toMatch(/token-|three/);
    expect((await eventsOf()).map(({ type }) => type)).toEqual(['handoff.completed']);
  });

  test('uses PKCE where the provider does, with a verifier of its own [hand-007]', async () => {
    const one = await begin('search_ads');
    const two = await begin('search_ads');
    const challenge = (url: string) => new URL(url).searchParams.get('challenge');
    expect(challenge(one.consent)).toMatch(/^[\w-]{43}$/);
    expect(challenge(one.consent)).not.toBe(challenge(two.consent));
    expect(challenge((await begin('crm_a')).consent)).toBeNull();
    // A code that was given for another challenge.
    const stolen = new URL(company.approve(two.consent, freshAccount()));
    const mine = new URL(company.answer(one.consent, { code: stolen.searchParams.get('code') ?? '' }));
    expect((await one.browser.open(mine.href)).told).toMatchObject({ reason: 'token_exchange_failed' });
  });

  test('without a return address ends on a page', async () => {
    const { browser, consent, handoff } = await begin('social_ads', {});
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
      const { handoff, browser, consent } = await begin();
      const { told } = await browser.open(answer(consent));
      expect([what, told]).toEqual([what, expect.objectContaining({ status, reason })]);
      expect(await shop.read(handoff.id)).toMatchObject({
        status,
        completed_at: kit.clock.now().toISOString(),
        result: { provider: 'social_ads', reason },
      });
    }
    expect([await rowsOf('connections'), await rowsOf('pending_selections')]).toEqual([0, 0]);
    expect(await eventsOf()).toEqual([]);
  });

  test('user_cancelled, provider_denied and provider_error [hand-025] [hand-026] [hand-027]', async () => {
    const [cancelled, denied, broken] = failures.map(([, answer]) => answer);
    const told = async (answer: typeof cancelled) => {
      const { browser, consent } = await begin();
      return (await browser.open(answer?.(consent) ?? '')).told;
    };
    expect(await told(cancelled)).toMatchObject({ status: 'cancelled', reason: 'user_cancelled' });
    expect(await told(denied)).toMatchObject({ status: 'failed', reason: 'provider_denied' });
    expect(await told(broken)).toMatchObject({ status: 'failed', reason: 'provider_error' });
  });

  test('token_exchange_failed and no_candidates; the reason stands on the bounce [hand-028] [hand-031] [hand-084] [hand-089]', async () => {
    const refused = await begin();
    company.faults = [{ path: '/token', status: 400 }];
    const bounce = await refused.browser.open(company.approve(refused.consent, freshAccount()));
    expect(bounce.told).toMatchObject({ status: 'failed', reason: 'token_exchange_failed' });
    const nothing = await begin();
    expect((await nothing.browser.open(company.approve(nothing.consent))).told).toMatchObject({
      status: 'failed',
      reason: 'no_candidates',
    });
    expect((await shop.read(nothing.handoff.id)).result).toEqual({ provider: 'social_ads', reason: 'no_candidates' });
  });

  test('what passes leaves it open, and the same link works at once [hand-033] [hand-034]', async () => {
    const { handoff, browser, consent } = await begin();
    for (const path of ['/token', '/accounts'] as const) {
      company.faults = [{ path, status: 503 }];
      const again = path === '/token' ? consent : ((await browser.open(handoff.start_url)).to ?? '');
      const { told } = await browser.open(company.approve(again, 'passing'));
      expect(told).toMatchObject({ status: 'failed', reason: 'internal_error' });
      expect(await shop.read(handoff.id)).toMatchObject({ status: 'pending', result: null });
      expect(await rowsOf('connections')).toBe(0);
    }
    const { to = '' } = await browser.open(handoff.start_url);
    expect((await browser.open(company.approve(to, freshAccount()))).told).toMatchObject({ status: 'success' });
  });

  test('the account is a sister’s; another workspace may have it too [hand-029] [hand-030] [hand-053]', async () => {
    const account = freshAccount();
    const first = await begin('crm_a');
    await first.browser.open(company.approve(first.consent, account));
    const holder = shop;
    shop = await openShop(kit, api, { workspaceId: holder.workspaceId });
    const sister = await begin('crm_a');
    const { told } = await sister.browser.open(company.approve(sister.consent, account));
    expect(told).toMatchObject({ status: 'failed', reason: 'account_connected_elsewhere' });
    expect((await shop.read(sister.handoff.id)).result).toEqual({
      provider: 'crm_a',
      reason: 'account_connected_elsewhere',
    });
    expect(await rowsOf('connections')).toBe(0);
    expect(await eventsOf()).toEqual([]);
    shop = await openShop(kit, api);
    const stranger = await begin('crm_a');
    const other = await stranger.browser.open(company.approve(stranger.consent, account));
    expect(other.told).toMatchObject({ status: 'success' });
  });

  test('connect_failed: it could not be stored, and nothing was [hand-032]', async () => {
    const { handoff, browser, consent } = await begin();
    // A name that PostgreSQL cannot hold.
    const { told } = await browser.open(company.approve(consent, 'nul-\u0000'));
    expect(told).toMatchObject({ status: 'failed', reason: 'connect_failed' });
    expect((await shop.read(handoff.id)).result.reason).toBe('connect_failed');
    expect(await rowsOf('connections')).toBe(0);
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
    const underway = await begin();
    const done = await begin();
    await done.browser.open(company.approve(done.consent, freshAccount()));
    await setOrigins(kit, shop.appId, { redirectUris: ['https://elsewhere.example/'] });
    const before = await rowsOf('connections');
    const pages = [
      await openBrowser(api).open(atStart.data.start_url),
      await underway.browser.open(company.approve(underway.consent, freshAccount())),
      await openBrowser(api).open(done.handoff.start_url),
    ];
    for (const page of pages) expect([page.status, page.to]).toEqual([200, undefined]);
    for (const id of [atStart.data.id, underway.handoff.id])
      expect((await shop.read(id)).result).toEqual({ provider: 'social_ads', reason: 'origin_not_allowed' });
    expect(await rowsOf('connections')).toBe(before);
  });
});

describe('time, browsers and repetition', () => {
  test('state and cookie last 15 minutes: later it is state_expired [hand-035] [hand-046] [hand-047]', async () => {
    const { handoff, browser, consent } = await begin();
    expect([...browser.jar.keys()]).toEqual([`__Host-connect-${handoff.id}`]);
    minutes(14.9);
    const late = company.approve(consent, freshAccount());
    minutes(0.1);
    // As a browser does that has thrown the cookie away.
    expect((await openBrowser(api).open(late)).told).toMatchObject({ status: 'failed', reason: 'state_expired' });
    expect((await shop.read(handoff.id)).status).toBe('pending');
    expect((await browser.open(late)).told).toMatchObject({ reason: 'state_expired' });
    expect((await shop.read(handoff.id)).result).toEqual({ provider: 'social_ads', reason: 'state_expired' });
    expect(await rowsOf('connections')).toBe(0);
    const inTime = await begin();
    minutes(14.99);
    const { told } = await inTime.browser.open(company.approve(inTime.consent, freshAccount()));
    expect(told).toMatchObject({ status: 'success' });
  });

  test('another browser, or a changed state, decides nothing [hand-036]', async () => {
    const { handoff, browser, consent } = await begin();
    const callback = company.approve(consent, freshAccount());
    const other = openBrowser(api);
    await other.open(handoff.start_url);
    for (const stranger of [openBrowser(api), other, (await begin('crm_a')).browser])
      expect((await stranger.open(callback)).told).toMatchObject({
        status: 'failed',
        reason: 'state_invalid',
        handoff_id: handoff.id,
      });
    const changed = callback.replace(/state=./, 'state=x');
    expect((await browser.open(changed)).told).toMatchObject({ reason: 'state_invalid', handoff_id: handoff.id });
    const page = await openBrowser(api).open(changed);
    expect([page.status, page.to]).toEqual([400, undefined]);
    expect((await browser.open(callback.replace('/social_ads', '/crm_a'))).status).toBe(400);
    expect(await shop.read(handoff.id)).toMatchObject({ status: 'pending', result: null });
    expect((await browser.open(callback)).told).toMatchObject({ status: 'success' });
  });

  test('of many consents at once one is used, and the others write nothing [hand-044] [hand-039]', async () => {
    const { handoff, browser, consent } = await begin();
    const account = freshAccount();
    let open = () => {};
    company.gate = new Promise((resolve) => {
      open = resolve;
    });
    const callbacks = Array.from({ length: 8 }, () => browser.open(company.approve(consent, account)));
    const told = Promise.all(callbacks);
    // The first that claims it waits for the company; the others are told at once.
    await Promise.race(callbacks);
    const start = await browser.open(handoff.start_url);
    expect(start.told).toMatchObject({ status: 'failed', reason: 'handoff_used' });
    const before = company.exchanges;
    open();
    const reasons = (await told).map(({ told: one }) => one?.reason ?? one?.status);
    expect(reasons.sort()).toEqual([...Array(7).fill('handoff_used'), 'success']);
    expect(company.exchanges - before).toBe(1);
    expect(await rowsOf('connections')).toBe(1);
    expect((await eventsOf()).map(({ type }) => type)).toEqual(['connection.connected', 'handoff.completed']);
  });

  test('one that stopped on our side gives way after 3 minutes, and its late end writes nothing [hand-045]', async () => {
    const { handoff, browser, consent } = await begin();
    let open = () => {};
    company.gate = new Promise((resolve) => {
      open = resolve;
    });
    const stuck = browser.open(company.approve(consent, freshAccount()));
    await expect.poll(async () => (await browser.open(handoff.start_url)).told?.reason).toBe('handoff_used');
    minutes(2.9);
    expect((await browser.open(handoff.start_url)).told?.reason).toBe('handoff_used');
    minutes(0.1);
    const { to = '' } = await browser.open(handoff.start_url);
    expect(to).toContain(company.url);
    const second = browser.open(company.approve(to, freshAccount()));
    await expect.poll(async () => (await browser.open(handoff.start_url)).told?.reason).toBe('handoff_used');
    open();
    const both = [(await stuck).told, (await second).told];
    expect(both).toEqual([
      expect.objectContaining({ reason: 'handoff_used' }),
      expect.objectContaining({ status: 'success' }),
    ]);
    expect(await rowsOf('connections')).toBe(1);
  });

  test('what is decided stays so, and a new one is minted for another try [hand-014] [hand-015] [hand-038] [hand-052]', async () => {
    const { handoff, browser, consent } = await begin();
    await browser.open(company.answer(consent, { error: 'access_denied' }));
    const settled = await shop.read(handoff.id);
    const late = await browser.open(company.approve(consent, freshAccount()));
    expect(late.told).toMatchObject({ status: 'failed', reason: 'handoff_used' });
    expect((await browser.open(handoff.start_url)).told).toMatchObject({ status: 'failed', reason: 'handoff_used' });
    minutes(60);
    expect(await shop.read(handoff.id)).toEqual(settled);
    expect(await rowsOf('connections')).toBe(0);
    const again = await begin();
    expect((await again.browser.open(company.approve(again.consent, freshAccount()))).told).toMatchObject({
      status: 'success',
    });
    expect(await shop.read(handoff.id)).toEqual(settled);
  });

  test('a second click on a completed one tells what became of it [hand-040]', async () => {
    const { handoff, browser, consent } = await begin();
    const callback = company.approve(consent, freshAccount());
    await browser.open(callback);
    expect((await browser.open(callback)).told).toMatchObject({ status: 'success' });
    expect((await openBrowser(api).open(handoff.start_url)).told).toMatchObject({ status: 'success' });
    const several = await begin();
    await several.browser.open(company.approve(several.consent, 'a', 'b'));
    expect((await several.browser.open(several.handoff.start_url)).told).toMatchObject({
      status: 'pending_selection',
      candidate_count: '2',
    });
  });

  test('after 45 minutes no consent begins or ends [hand-023] [hand-037] [hand-079] [hand-080]', async () => {
    const { data } = await shop.mint('social_ads', { return_url: returnUrl });
    const browser = openBrowser(api);
    minutes(44);
    const { to = '' } = await browser.open(data.start_url);
    minutes(1);
    const late = await browser.open(company.approve(to, freshAccount()));
    expect(late.told).toMatchObject({ status: 'failed', reason: 'handoff_expired' });
    const click = await browser.open(data.start_url);
    expect([click.told?.reason, click.to?.includes(company.url)]).toEqual(['handoff_expired', false]);
    expect((await browser.open(data.url)).body).toContain('too old');
    expect(await rowsOf('connections')).toBe(0);
    expect((await shop.read(data.id)).result.reason).toBe('handoff_expired');
  });

  test('two hand-offs in one browser do not disturb each other, and a sister profile has its own', async () => {
    const one = await begin();
    const { data: two } = await shop.mint('crm_a', { return_url: returnUrl });
    const { to = '' } = await one.browser.open(two.start_url);
    expect((await one.browser.open(company.approve(one.consent, freshAccount()))).told?.status).toBe('success');
    expect((await one.browser.open(company.approve(to, freshAccount()))).told?.status).toBe('success');
    await buildProfile(kit.app, { workspaceId: shop.workspaceId });
    expect(await rowsOf('connections')).toBe(2);
  });

  test('the bounce is a hint with these fields, and `connect` is the provider again [hand-081] [hand-082] [hand-087] [ver-019]', async () => {
    const { handoff, browser, consent } = await begin('crm_a');
    const { told } = await browser.open(company.answer(consent, { error: 'access_denied' }));
    expect(told).toEqual({
      step: '2',
      connect: 'crm_a',
      provider: 'crm_a',
      status: 'cancelled',
      profile_id: shop.id,
      handoff_id: handoff.id,
      reason: 'user_cancelled',
    });
    const { status, result } = await shop.read(handoff.id);
    expect([status, result.reason]).toEqual(['cancelled', 'user_cancelled']);
  });

  test('what happened is in the audit log, without a token', async () => {
    const { handoff, browser, consent } = await begin();
    await browser.open(company.approve(consent, freshAccount()));
    const { rows } = await kit.owner.unbound.query(sql<{ action: string; detail: object }>`
      SELECT action, detail FROM audit_log WHERE target = ${`handoff:${handoff.id}`} ORDER BY sequence`);
    expect(rows.map(({ action }) => action)).toEqual(['handoff.minted', 'handoff.completed']);
    expect(JSON.stringify(rows)).not.toContain('token-');
    expect(api.logLines.join('\n')).not.toMatch(/token-|state=|code=/);
  });
});
