import { buildModule } from '@tributary/tracker/build.ts';
import { expect, test } from 'vitest';
import { key, openSite } from './tracker-site.ts';

/** Which visits the tracker sends: pages, sessions, customers. The browser is real, and so is the network between it and the site. */
const site = openSite();

test('on a plain site each page is a visit, the first starts the session, and URLs arrive unchanged', async () => {
  const address = '/x?utm_source=news&utm_campaign=a%20b+c&gclid=Cj0&empty=#part';
  const page = await site.visit(address, { referer: 'https://www.google.com/' });
  await site.visits(1);
  await page.getByRole('link', { name: 'next' }).click();
  const [first, second] = await site.visits(2);
  expect(first).toMatchObject({
    type: 'page_view',
    url: `${site.origin}/x?utm_source=news&utm_campaign=a%20b+c&gclid=Cj0&empty=`,
    referrer: 'https://www.google.com/',
    is_session_start: true,
  });
  expect(second).toMatchObject({ type: 'page_view', url: `${site.origin}/next`, is_session_start: false });
  expect(second?.referrer).toBe(`${site.origin}/x?utm_source=news&utm_campaign=a%20b+c&gclid=Cj0&empty=`);
  expect(second?.session_id).toBe(first?.session_id);
  expect(new Set(site.collector.arrivals.map(({ client_id }) => client_id)).size).toBe(1);
  expect(Math.abs(Date.now() - Date.parse(first?.at as string))).toBeLessThan(60_000);
  site.expectPeace();
});

test('in a single-page app each change of path or query is a visit, referred by the previous page', async () => {
  const page = await site.visit('/app');
  await site.visits(1);
  await page.evaluate(`
    history.replaceState({ kept: 1 }, '', '/app');
    history.pushState(null, '', '/app/cart');
    history.pushState(null, '', '/app/cart#details');
    location.hash = 'more';
    history.replaceState(null, '', '/app/cart?step=2');
  `);
  await page.goBack();
  await page.goBack();
  await page.goBack();
  const visits = await site.visits(5);
  expect(visits.map(({ url, referrer }) => [url, referrer])).toEqual([
    [`${site.origin}/app`, undefined],
    [`${site.origin}/app/cart`, `${site.origin}/app`],
    [`${site.origin}/app/cart?step=2`, `${site.origin}/app/cart`],
    // Three steps back, one of them within a page.
    [`${site.origin}/app/cart`, `${site.origin}/app/cart?step=2`],
    [`${site.origin}/app`, `${site.origin}/app/cart`],
  ]);
  expect(visits.map(({ is_session_start }) => is_session_start)).toEqual([true, false, false, false, false]);
  site.expectPeace();
});

test('with a hash router a hash that looks like a path is a page, and any other hash stays in the browser', async () => {
  const page = await site.visit('/app#access_token=secret');
  await page.evaluate(`location.hash = '#/cart'`);
  await page.evaluate(`location.hash = '#!/pay?step=1'`);
  const visits = await site.visits(3);
  expect(visits.map(({ url }) => url)).toEqual([
    `${site.origin}/app`,
    `${site.origin}/app#/cart`,
    `${site.origin}/app#!/pay?step=1`,
  ]);
});

test('[link-053] the token is removed from the URL at once, the rest stays, and it is sent once, with the first visit', async () => {
  site.pages.set('/offer', { early: `history.replaceState({ router: 7 }, '')` });
  const page = await site.visit('/offer?a=1%20x&svc_t=To-k_en&b=%C3%B1#part');
  const [first] = await site.visits(1);
  expect(page.url()).toBe(`${site.origin}/offer?a=1%20x&b=%C3%B1#part`);
  expect(await page.evaluate('history.state')).toEqual({ router: 7 });
  expect(first).toMatchObject({ link_token: 'To-k_en', url: `${site.origin}/offer?a=1%20x&b=%C3%B1` });

  // A router that stored the first URL may write it again.
  await page.evaluate(`history.replaceState(null, '', '/offer?svc_t=To-k_en&a=2')`);
  expect(page.url()).toBe(`${site.origin}/offer?a=2`);
  await page.evaluate(`tributary('track', 'seen')`);
  await page.getByRole('link', { name: 'next' }).click();
  const [, ...later] = await site.visits(4);
  expect(JSON.stringify(later)).not.toMatch(/To-k_en|svc_t/);
  site.expectPeace();
});

test('[link-053] the token is removed from the URL of a hash router, and before a visitor has consented', async () => {
  site.pages.set('/asked', { attributes: 'data-consent="required"' });
  const page = await site.visit('/asked#/offer?svc_t=T1');
  await expect.poll(() => page.url()).toBe(`${site.origin}/asked#/offer`);
  await page.evaluate(`tributary('consent', true)`);
  const [first] = await site.visits(1);
  expect(first).toMatchObject({ link_token: 'T1', url: `${site.origin}/asked#/offer` });
});

test('an install verification is passed on and leaves no trace in the URL', async () => {
  const page = await site.visit('/?svc_v=nonce&x=1');
  const [first] = await site.visits(1);
  expect(first).toMatchObject({ verification: 'nonce', url: `${site.origin}/?x=1` });
  expect(page.url()).toBe(`${site.origin}/?x=1`);
});

test('tracked events and identified customers arrive in order, including calls before the script has loaded', async () => {
  site.pages.set('/', { early: `tributary('track', 'early', { n: 1 }); const held = window.tributary;` });
  const page = await site.visit('/');
  await site.visits(2);
  await page.evaluate(`
    const properties = { price: 9.5, sku: 'ñ-1', gift: false, note: null };
    tributary('track', 'add to cart', properties);
    properties.price = 0;
    tributary('identify', { email: 'ana@example.com', phone: null, external_id: 42, password: 'secret' });
    held('track', 'late caller of the stand-in');
  `);
  const visits = await site.visits(5);
  expect(visits.map(({ type, name }) => name ?? type)).toEqual([
    'page_view',
    'early',
    'add to cart',
    'identify',
    'late caller of the stand-in',
  ]);
  expect(visits[1]?.properties).toEqual({ n: 1 });
  expect(visits[2]?.properties).toEqual({ price: 9.5, sku: 'ñ-1', gift: false, note: null });
  expect(visits[3]).toMatchObject({ type: 'identify', traits: { email: 'ana@example.com', external_id: '42' } });
  expect(new Set(visits.map(({ session_id }) => session_id)).size).toBe(1);
  site.expectPeace();
});

test('invalid calls by the site are ignored, and do not affect later ones', async () => {
  const page = await site.visit('/');
  await page.evaluate(`
    const circle = {}; circle.circle = circle;
    tributary(); tributary('unknown'); tributary(null, 1); tributary('track', 'circle', circle);
    tributary('identify'); tributary('track', 'big', { n: 10n }); tributary('track', 'huge', { text: 'x'.repeat(30000) });
    tributary('track', 'fine');
  `);
  const visits = await site.visits(2);
  expect(visits[1]?.name).toBe('fine');
  site.expectPeace();
});

test('with blocked storage, visits are still sent while the page is open', async () => {
  // The browser denies storage, cookies and locks to a sandboxed page.
  site.pages.set('/sandboxed', { headers: { 'content-security-policy': 'sandbox allow-scripts' } });
  const page = await site.visit('/sandboxed?svc_t=T1');
  expect(await page.evaluate('try { localStorage } catch (error) { error.name }')).toBe('SecurityError');
  await site.visits(1);
  await page.evaluate(`tributary('track', 'one'); history.pushState(null, '', '/sandboxed/two')`);
  const visits = await site.visits(3);
  expect(visits.map(({ is_session_start }) => is_session_start)).toEqual([true, false, false]);
  expect(new Set(site.collector.arrivals.map(({ client_id }) => client_id)).size).toBe(1);
  expect(page.url()).toBe(`${site.origin}/sandboxed/two`);
  site.expectPeace();
});

test('with full storage, visits are still sent', async () => {
  site.pages.set('/', {
    early: `for (let size = 1 << 22; size >= 1; size >>= 1) try { for (;;) localStorage[Math.random()] = 'x'.repeat(size) } catch {}`,
  });
  const page = await site.visit('/');
  await page.evaluate(`tributary('track', 'one')`);
  await site.visits(2);
  expect(await page.evaluate(`Object.keys(localStorage).filter((name) => name.startsWith('tributary'))`)).toEqual([]);
  site.expectPeace();
});

test('tabs that open together share one visitor and one session, which starts once', async () => {
  // Makes reading cookies slow, so that without a lock all tabs would read before the first of them writes.
  await site.visitor.addInitScript(`
    const { get, set } = Object.getOwnPropertyDescriptor(Document.prototype, 'cookie');
    const slowly = function () {
      const seen = get.call(this);
      for (const until = performance.now() + 40; performance.now() < until; );
      return seen;
    };
    Object.defineProperty(Document.prototype, 'cookie', { get: slowly, set });
  `);
  await Promise.all([site.visit('/one'), site.visit('/two'), site.visit('/three')]);
  const visits = await site.visits(3);
  expect(visits.filter(({ is_session_start }) => is_session_start)).toHaveLength(1);
  expect(new Set(visits.map(({ session_id }) => session_id)).size).toBe(1);
  expect(new Set(site.collector.arrivals.map(({ client_id }) => client_id)).size).toBe(1);
});

test('a session ends after half an hour without a visit, and the visitor stays the same', async () => {
  const start = Date.UTC(2026, 10, 15, 10);
  const at = async (minutes: number, count: number) => {
    const page = await site.visitor.newPage();
    await page.clock.setFixedTime(start + minutes * 60_000);
    await page.goto(`${site.origin}/${minutes}`);
    await site.visits(count);
    await page.close();
  };
  for (const [index, minutes] of [0, 29, 58, 88].entries()) await at(minutes, index + 1);
  const visits = await site.visits(4);
  expect(visits.map(({ is_session_start }) => is_session_start)).toEqual([true, false, false, true]);
  expect(new Set(visits.map(({ session_id }) => session_id)).size).toBe(2);
  expect(new Set(site.collector.arrivals.map(({ client_id }) => client_id)).size).toBe(1);
});

test('subdomains share visitor and session; no cookie is attempted on a public suffix', async () => {
  await site.visit(site.on('www.shop.test'));
  await site.visits(1);
  await site.visit(site.on('pay.shop.test'));
  const visits = await site.visits(2);
  expect(visits.map(({ is_session_start }) => is_session_start)).toEqual([true, false]);
  expect(new Set(site.collector.arrivals.map(({ client_id }) => client_id)).size).toBe(1);
  await site.visit(site.on('www.shop.co.uk'));
  await site.visits(3);
  const cookies = await site.visitor.cookies();
  expect([...new Set(cookies.map(({ domain }) => domain))].sort()).toEqual(['.shop.co.uk', '.shop.test']);
  expect(cookies.every(({ name, sameSite }) => name.startsWith('tributary_') && sameSite === 'Lax')).toBe(true);
  const days = ((cookies.find(({ name }) => name === 'tributary_id')?.expires ?? 0) - Date.now() / 1_000) / 86_400;
  expect(days).toBeGreaterThan(399);
});

test('a visitor whose cookies were deleted is recognized from storage', async () => {
  await (await site.visit('/')).close();
  await site.visits(1);
  await site.visitor.clearCookies();
  await site.visit('/');
  await site.visits(2);
  expect(new Set(site.collector.arrivals.map(({ client_id }) => client_id)).size).toBe(1);
});

test('malformed stored ids are replaced, and do not invalidate requests', async () => {
  await site.visitor.addCookies([
    { name: 'tributary_id', value: '"},{"', url: site.origin },
    { name: `tributary_session_${key}`, value: `x.${Date.now()}`, url: site.origin },
  ]);
  await site.visit('/');
  const [first] = await site.visits(1);
  expect(first?.is_session_start).toBe(true);
});

test('with a first-party path, script and visits both go through it', async () => {
  site.pages.set('/', { src: '/t/t.js' });
  site.pages.set('/elsewhere', { attributes: 'data-collector="/t/"' });
  const requests: string[] = [];
  site.visitor.on('request', (request) => requests.push(request.url()));
  await site.visit('/');
  await site.visits(1);
  await site.visit('/elsewhere');
  await site.visits(2);
  const posts = requests.filter((url) => url.endsWith('/v1/visits'));
  expect([...new Set(posts)]).toEqual([`${site.origin}/t/v1/visits`]);
});

test('a site can disable automatic page views, and send them itself', async () => {
  site.pages.set('/', { attributes: 'data-auto="false"' });
  const page = await site.visit('/?svc_t=T1', { referer: 'https://www.google.com/' });
  await expect.poll(() => page.url()).toBe(`${site.origin}/`);
  await page.evaluate(`history.pushState(null, '', '/two'); tributary('track', 'first'); tributary('page')`);
  const visits = await site.visits(2);
  expect(visits.map(({ type }) => type)).toEqual(['track', 'page_view']);
  expect(visits[0]).toMatchObject({ link_token: 'T1', referrer: 'https://www.google.com/', is_session_start: true });
});

test('a script that is included twice counts once', async () => {
  site.pages.set('/', { tags: 2 });
  const page = await site.visit('/');
  await page.evaluate(`tributary('track', 'once')`);
  await site.visits(2);
});

test("a page restored from the browser's back-forward cache is a visit", async () => {
  const page = await site.visit('/', { referer: 'https://www.google.com/' });
  await site.visits(1);
  await page.evaluate(`dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`);
  const [, again] = await site.visits(2);
  expect(again).toMatchObject({ type: 'page_view', referrer: `${site.origin}/`, is_session_start: false });
});

test('a prerendered page becomes a visit when it is shown', async () => {
  site.pages.set('/', {
    early: `Object.defineProperty(document, 'prerendering', { value: true, configurable: true })`,
  });
  const page = await site.visit('/');
  await page.waitForTimeout(1_500);
  expect(site.collector.arrivals).toEqual([]);
  await page.evaluate(`delete document.prerendering; document.dispatchEvent(new Event('prerenderingchange'))`);
  await site.visits(1);
});

test('the bundled module starts once, sends what the script would, and waits for consent where required', async () => {
  site.pages.set('/bundled', { tags: 0 });
  const page = await site.visit('/bundled');
  const options = JSON.stringify({ key, collector: site.collector.url, consent: 'required' });
  const code = `${await buildModule()}
    const [tracker] = [startTracker(${options}), startTracker(${options})];
    tracker.track('trial_started', { plan: 'pro' });
    tracker.consent(true);
    tracker.identify({ external_id: 'customer-1' });`;
  await page.addScriptTag({ type: 'module', content: code });
  const visits = await site.visits(3);
  expect(visits.map(({ type, name, url }) => [type, name, url])).toEqual([
    ['page_view', undefined, `${site.origin}/bundled`],
    ['track', 'trial_started', `${site.origin}/bundled`],
    ['identify', undefined, `${site.origin}/bundled`],
  ]);
  expect(visits[1]?.properties).toEqual({ plan: 'pro' });
  expect(visits[2]?.traits).toEqual({ external_id: 'customer-1' });
  site.expectPeace();
});
