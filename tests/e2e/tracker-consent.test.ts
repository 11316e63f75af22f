import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openSite } from './tracker-site.ts';

/** What the tracker does when it must ask first, when the answer is no, and when the browser answers for the person. */
const site = openSite();

const kept = async (page: Page) => ({
  storage: (await page.evaluate('Object.keys(localStorage)')) as string[],
  cookies: (await site.visitor.cookies()).map(({ name, value }) => `${name}=${value}`),
});
const nothing = { storage: [], cookies: [] };
const refusal = { storage: ['tributary_consent'], cookies: ['tributary_consent=no'] };
/** Longer than the tracker gathers visits. */
const aWhile = (page: Page) => page.waitForTimeout(1_500);
const privacyControl = `Object.defineProperty(Navigator.prototype, 'globalPrivacyControl', { get: () => true })`;

test('until the person says yes nothing is kept on the device and nothing is sent; then the landing is not lost', async () => {
  site.pages.set('/', { attributes: 'data-consent="required"' });
  const page = await site.visit('/?utm_source=news', { referer: 'https://www.google.com/' });
  await page.evaluate(`history.pushState(null, '', '/two'); tributary('track', 'before')`);
  await aWhile(page);
  await page.evaluate(`dispatchEvent(new Event('pagehide'))`);
  expect(await kept(page)).toEqual(nothing);
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

test('a yes counts on the pages that follow', async () => {
  site.pages.set('/', { attributes: 'data-consent="required"', early: `tributary('consent', true)` });
  site.pages.set('/next', { attributes: 'data-consent="required"' });
  const page = await site.visit('/');
  await page.getByRole('link', { name: 'next' }).click();
  await site.visits(2);
});

test('a page that never asked does not say that it was told yes', async () => {
  await site.visit('/');
  await site.visits(1);
  expect(site.collector.arrivals.map(({ consent }) => consent)).not.toContain(true);
});

test('a no before any yes leaves nothing on the device', async () => {
  site.pages.set('/', { attributes: 'data-consent="required"' });
  const page = await site.visit('/');
  await page.evaluate(`tributary('consent', false); tributary('track', 'after')`);
  await aWhile(page);
  expect(await kept(page)).toEqual(nothing);
  expect(site.collector.arrivals).toEqual([]);
  site.expectPeace();
});

test('a no deletes what was stored, stops every tab, and is remembered on all subdomains', async () => {
  const host = site.on('www.shop.test');
  const [page, tab] = [await site.visit(host), await site.visit(`${host}/tab`)];
  await site.visits(2);
  expect((await kept(page)).cookies).toHaveLength(2);
  await page.evaluate(`tributary('track', 'not sent yet'); tributary('consent', false)`);
  await page.evaluate(`tributary('track', 'refused')`);
  await tab.evaluate(`tributary('track', 'refused elsewhere')`);
  await aWhile(tab);
  await tab.goto(`${host}/later`);
  await tab.goto(site.on('pay.shop.test'));
  await aWhile(tab);
  expect(await kept(page)).toEqual(refusal);
  await site.visits(2);
  site.expectPeace();
});

test('who said no can say yes, and begins as somebody new', async () => {
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

test('an answer given before the script has loaded counts for the first page view', async () => {
  site.pages.set('/', { early: `tributary('track', 'early'); tributary('consent', false)` });
  const page = await site.visit('/');
  await aWhile(page);
  expect(await kept(page)).toEqual(refusal);
  expect(site.collector.arrivals).toEqual([]);
});

test('Global Privacy Control is a no: nothing is sent, and what an earlier page kept is deleted', async () => {
  await site.visit('/');
  await site.visits(1);
  const page = await site.visitor.newPage();
  await page.addInitScript(privacyControl);
  await page.goto(`${site.origin}/two`);
  await page.evaluate(`tributary('track', 'refused')`);
  await aWhile(page);
  expect(await kept(page)).toEqual(nothing);
  await site.visits(1);
  site.expectPeace();
});

test('what the person says outweighs Global Privacy Control, on the pages that follow too', async () => {
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

test('Do Not Track says nothing', async () => {
  const page = await site.visitor.newPage();
  await page.addInitScript(`Object.defineProperty(Navigator.prototype, 'doNotTrack', { get: () => '1' })`);
  await page.goto(site.origin);
  await site.visits(1);
});
