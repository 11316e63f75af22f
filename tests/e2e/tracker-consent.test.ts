import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openSite } from './tracker-site.ts';

/** How the tracker behaves when it needs consent, when consent is refused, and when the browser sends a privacy signal. */
const site = openSite();

const deviceState = async (page: Page) => ({
  storage: (await page.evaluate('Object.keys(localStorage)')) as string[],
  cookies: (await site.visitor.cookies()).map(({ name, value }) => `${name}=${value}`),
});
const nothing = { storage: [], cookies: [] };
const refusal = { storage: ['tributary_consent'], cookies: ['tributary_consent=no'] };
/** Longer than the tracker collects visits for a batch. */
const aWhile = (page: Page) => page.waitForTimeout(1_500);
const privacyControl = `Object.defineProperty(Navigator.prototype, 'globalPrivacyControl', { get: () => true })`;

test('before consent nothing is stored on the device and nothing is sent; after it the landing page is not lost', async () => {
  site.pages.set('/', { attributes: 'data-consent="required"' });
  const page = await site.visit('/?utm_source=news', { referer: 'https://www.google.com/' });
  await page.evaluate(`history.pushState(null, '', '/two'); tributary('track', 'before')`);
  await aWhile(page);
  await page.evaluate(`dispatchEvent(new Event('pagehide'))`);
  expect(await deviceState(page)).toEqual(nothing);
  expect(site.collector.arrivals).toEqual([]);

  await page.evaluate(`tributary('consent', true)`);
  const visits = await site.visits(3);
  expect(visits.map(({ url }) => url)).toEqual([
    `${site.origin}/?utm_source=news`,
    `${site.origin}/two`,
    `${site.origin}/two`,
  ]);
  expect(visits[0]).toMatchObject({ referrer: 'https://www.google.com/', is_session_start: true });
  expect(site.collector.arrivals.map(({ consent }) => consent)).not.toContain(false);
  site.expectPeace();
});

test('consent applies to the following pages', async () => {
  site.pages.set('/', { attributes: 'data-consent="required"', early: `tributary('consent', true)` });
  site.pages.set('/next', { attributes: 'data-consent="required"' });
  const page = await site.visit('/');
  await page.getByRole('link', { name: 'next' }).click();
  await site.visits(2);
});

test('a page without a consent banner does not claim consent', async () => {
  await site.visit('/');
  await site.visits(1);
  expect(site.collector.arrivals.map(({ consent }) => consent)).not.toContain(true);
});

test('a refusal before any consent leaves nothing on the device', async () => {
  site.pages.set('/', { attributes: 'data-consent="required"' });
  const page = await site.visit('/');
  await page.evaluate(`tributary('consent', false); tributary('track', 'after')`);
  await aWhile(page);
  expect(await deviceState(page)).toEqual(nothing);
  expect(site.collector.arrivals).toEqual([]);
  site.expectPeace();
});

test('a refusal deletes stored data, stops every tab, and is remembered on all subdomains', async () => {
  const host = site.on('www.shop.test');
  const [page, tab] = [await site.visit(host), await site.visit(`${host}/tab`)];
  await site.visits(2);
  expect((await deviceState(page)).cookies).toHaveLength(2);
  await page.evaluate(`tributary('track', 'not sent yet'); tributary('consent', false)`);
  await page.evaluate(`tributary('track', 'refused')`);
  await tab.evaluate(`tributary('track', 'refused elsewhere')`);
  await aWhile(tab);
  await tab.goto(`${host}/later`);
  await tab.goto(site.on('pay.shop.test'));
  await aWhile(tab);
  expect(await deviceState(page)).toEqual(refusal);
  await site.visits(2);
  site.expectPeace();
});

test('a visitor who refused can consent later, and starts as a new visitor', async () => {
  const page = await site.visit('/');
  await site.visits(1);
  await page.evaluate(`tributary('consent', false)`);
  await page.reload();
  await aWhile(page);
  await site.visits(1);
  await page.evaluate(`tributary('consent', true)`);
  const [, again] = await site.visits(2);
  expect(again).toMatchObject({ type: 'page_view', is_session_start: true });
  expect(new Set(site.collector.arrivals.map(({ client_id }) => client_id)).size).toBe(2);
});

test('a decision made before the script has loaded applies to the first page view', async () => {
  site.pages.set('/', { early: `tributary('track', 'early'); tributary('consent', false)` });
  const page = await site.visit('/');
  await aWhile(page);
  expect(await deviceState(page)).toEqual(refusal);
  expect(site.collector.arrivals).toEqual([]);
});

test('Global Privacy Control is a refusal: nothing is sent, and stored data is deleted', async () => {
  await site.visit('/');
  await site.visits(1);
  const page = await site.visitor.newPage();
  await page.addInitScript(privacyControl);
  await page.goto(`${site.origin}/two`);
  await page.evaluate(`tributary('track', 'refused')`);
  await aWhile(page);
  expect(await deviceState(page)).toEqual(nothing);
  await site.visits(1);
  site.expectPeace();
});

test('explicit consent overrides Global Privacy Control, on the following pages too', async () => {
  const page = await site.visitor.newPage();
  await page.addInitScript(privacyControl);
  await page.goto(`${site.origin}/?svc_t=T1`, { referer: 'https://www.google.com/' });
  await aWhile(page);
  expect(site.collector.arrivals).toEqual([]);
  await page.evaluate(`tributary('consent', true)`);
  const [first] = await site.visits(1);
  expect(first).toMatchObject({ type: 'page_view', link_token: 'T1', referrer: 'https://www.google.com/' });
  await page.getByRole('link', { name: 'next' }).click();
  await site.visits(2);
});

test('Do Not Track has no effect', async () => {
  const page = await site.visitor.newPage();
  await page.addInitScript(`Object.defineProperty(Navigator.prototype, 'doNotTrack', { get: () => '1' })`);
  await page.goto(site.origin);
  await site.visits(1);
});
