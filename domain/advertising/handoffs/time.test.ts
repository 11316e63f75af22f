import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { openBrowser, openFlow, openShop, returnUrl } from './handoffs.fixture.ts';

const { kit, api, company, begin, freshAccount, minutes, rowsOf, eventsOf } = await openFlow();
let shop = await openShop(kit, api);
beforeEach(async () => {
  company.faults = [];
  shop = await openShop(kit, api);
});

describe('expiry, browsers and repetition', () => {
  test('state and cookie last 15 minutes, then the reason is state_expired [hand-035] [hand-046] [hand-047] [lim-021]', async () => {
    const { handoff, browser, consent } = await begin(shop);
    expect([...browser.jar.keys()]).toEqual([`__Host-connect-${handoff.id}`]);
    minutes(14.9);
    const late = company.approve(consent, freshAccount());
    minutes(0.1);
    // Like a browser that has deleted the expired cookie.
    expect((await openBrowser(api).open(late)).outcome).toMatchObject({ status: 'failed', reason: 'state_expired' });
    expect((await shop.read(handoff.id)).status).toBe('pending');
    expect((await browser.open(late)).outcome).toMatchObject({ reason: 'state_expired' });
    expect((await shop.read(handoff.id)).result).toEqual({ provider: 'social_ads', reason: 'state_expired' });
    expect(await rowsOf(shop, 'connections')).toBe(0);
    const inTime = await begin(shop);
    minutes(14.99);
    const { outcome } = await inTime.browser.open(company.approve(inTime.consent, freshAccount()));
    expect(outcome).toMatchObject({ status: 'success' });
  });

  test('another browser or a modified state does not end the hand-off [hand-036]', async () => {
    const { handoff, browser, consent } = await begin(shop);
    const callback = company.approve(consent, freshAccount());
    const other = openBrowser(api);
    await other.open(handoff.start_url);
    for (const stranger of [openBrowser(api), other, (await begin(shop, 'crm_a')).browser])
      expect((await stranger.open(callback)).outcome).toMatchObject({
        status: 'failed',
        reason: 'state_invalid',
        handoff_id: handoff.id,
      });
    const changed = callback.replace(/(?<=state=)./, (letter) => (letter === 'x' ? 'y' : 'x'));
    expect((await browser.open(changed)).outcome).toMatchObject({ reason: 'state_invalid', handoff_id: handoff.id });
    const page = await openBrowser(api).open(changed);
    expect([page.status, page.to]).toEqual([400, undefined]);
    expect((await browser.open(callback.replace('/social_ads', '/crm_a'))).status).toBe(400);
    expect(await shop.read(handoff.id)).toMatchObject({
      status: 'pending',
      result: null,
      last_attempt: { reason: 'state_invalid', at: kit.clock.now().toISOString() },
    });
    expect((await browser.open(callback)).outcome).toMatchObject({ status: 'success' });
  });

  test('one of several concurrent consents is used, and the others store nothing [hand-044] [hand-039]', async () => {
    const { handoff, browser, consent } = await begin(shop);
    const account = freshAccount();
    let open = () => {};
    company.gate = new Promise((resolve) => {
      open = resolve;
    });
    const callbacks = Array.from({ length: 8 }, () => browser.open(company.approve(consent, account)));
    const outcome = Promise.all(callbacks);
    // The first claim waits for the provider; the others get an outcome at once. One that arrived after the end would
    // get the final outcome.
    let answered = 0;
    for (const callback of callbacks) void callback.then(() => (answered += 1));
    await expect.poll(() => answered).toBe(7);
    const start = await browser.open(handoff.start_url);
    expect(start.outcome).toMatchObject({ status: 'failed', reason: 'handoff_used' });
    const before = company.exchangedCodes.size;
    open();
    const reasons = (await outcome).map(({ outcome: one }) => one?.reason ?? one?.status);
    expect(reasons.sort()).toEqual([...Array(7).fill('handoff_used'), 'success']);
    expect(company.exchangedCodes.size - before).toBe(1);
    expect(await rowsOf(shop, 'connections')).toBe(1);
    expect((await eventsOf(shop)).map(({ type }) => type)).toEqual(['connection.connected', 'handoff.completed']);
  });

  test('an interrupted consent gives way after 3 minutes, and its late result is not stored [hand-045] [lim-022]', async () => {
    const { handoff, browser, consent } = await begin(shop);
    let open = () => {};
    company.gate = new Promise((resolve) => {
      open = resolve;
    });
    const stuck = browser.open(company.approve(consent, freshAccount()));
    await expect.poll(async () => (await browser.open(handoff.start_url)).outcome?.reason).toBe('handoff_used');
    minutes(2.9);
    expect((await browser.open(handoff.start_url)).outcome?.reason).toBe('handoff_used');
    minutes(0.1);
    const { to = '' } = await browser.open(handoff.start_url);
    expect(to).toContain(company.url);
    const second = browser.open(company.approve(to, freshAccount()));
    await expect.poll(async () => (await browser.open(handoff.start_url)).outcome?.reason).toBe('handoff_used');
    open();
    const both = [(await stuck).outcome, (await second).outcome];
    expect(both).toEqual([
      expect.objectContaining({ reason: 'handoff_used' }),
      expect.objectContaining({ status: 'success' }),
    ]);
    expect(await rowsOf(shop, 'connections')).toBe(1);
  });

  test('a decided hand-off stays decided, and another try needs a new one [hand-014] [hand-015] [hand-038] [hand-052]', async () => {
    const { handoff, browser, consent } = await begin(shop);
    await browser.open(company.answer(consent, { error: 'access_denied' }));
    const settled = await shop.read(handoff.id);
    const late = await browser.open(company.approve(consent, freshAccount()));
    expect(late.outcome).toMatchObject({ status: 'failed', reason: 'handoff_used' });
    expect((await browser.open(handoff.start_url)).outcome).toMatchObject({ status: 'failed', reason: 'handoff_used' });
    minutes(60);
    expect(await shop.read(handoff.id)).toEqual(settled);
    expect(await rowsOf(shop, 'connections')).toBe(0);
    const again = await begin(shop);
    expect((await again.browser.open(company.approve(again.consent, freshAccount()))).outcome).toMatchObject({
      status: 'success',
    });
    expect(await shop.read(handoff.id)).toEqual(settled);
  });

  test('opening a completed link again shows its outcome [hand-040]', async () => {
    const { handoff, browser, consent } = await begin(shop);
    const callback = company.approve(consent, freshAccount());
    await browser.open(callback);
    expect((await browser.open(callback)).outcome).toMatchObject({ status: 'success' });
    expect((await openBrowser(api).open(handoff.start_url)).outcome).toMatchObject({ status: 'success' });
    const several = await begin(shop);
    await several.browser.open(company.approve(several.consent, 'a', 'b'));
    expect((await several.browser.open(several.handoff.start_url)).outcome).toMatchObject({
      status: 'pending_selection',
      candidate_count: '2',
    });
  });

  test('after 45 minutes no consent starts or finishes [hand-023] [hand-037] [hand-079] [hand-080]', async () => {
    const { data } = await shop.mint('social_ads', { return_url: returnUrl });
    const browser = openBrowser(api);
    minutes(44);
    const { to = '' } = await browser.open(data.start_url);
    minutes(1);
    const late = await browser.open(company.approve(to, freshAccount()));
    expect(late.outcome).toMatchObject({ status: 'failed', reason: 'handoff_expired' });
    const click = await browser.open(data.start_url);
    expect([click.outcome?.reason, click.to?.includes(company.url)]).toEqual(['handoff_expired', false]);
    expect((await browser.open(data.url)).body).toContain('too old');
    expect(await rowsOf(shop, 'connections')).toBe(0);
    expect((await shop.read(data.id)).result.reason).toBe('handoff_expired');
  });

  test('two hand-offs in one browser are independent', async () => {
    const one = await begin(shop);
    const { data: two } = await shop.mint('crm_a', { return_url: returnUrl });
    const { to = '' } = await one.browser.open(two.start_url);
    expect((await one.browser.open(company.approve(one.consent, freshAccount()))).outcome?.status).toBe('success');
    expect((await one.browser.open(company.approve(to, freshAccount()))).outcome?.status).toBe('success');
    expect(await rowsOf(shop, 'connections')).toBe(2);
  });

  test('the redirect has these query fields, with `connect` as a copy of `provider` [hand-081] [hand-082] [hand-087] [ver-019]', async () => {
    const { handoff, browser, consent } = await begin(shop, 'crm_a');
    const { outcome } = await browser.open(company.answer(consent, { error: 'access_denied' }));
    expect(outcome).toEqual({
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

  test('the audit log contains the events without a token', async () => {
    const { handoff, browser, consent } = await begin(shop);
    await browser.open(company.approve(consent, freshAccount()));
    const { rows } = await kit.owner.unbound.query(sql<{ action: string; detail: object }>`
      SELECT action, detail FROM audit_log WHERE target = ${`handoff:${handoff.id}`} ORDER BY sequence`);
    expect(rows.map(({ action }) => action)).toEqual(['handoff.minted', 'handoff.completed']);
    expect(JSON.stringify(rows)).not.toContain('token-');
    expect(api.logLines.join('\n')).not.toMatch(/token-|state=|code=/);
  });
});
