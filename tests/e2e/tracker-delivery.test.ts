import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { key, openSite } from './tracker-site.ts';

/** How visits reach the collector, and what happens when they do not. */
const site = openSite();

const track = (page: Page, count: number, name = 'n') =>
  page.evaluate(`for (let n = 1; n <= ${count}; n += 1) tributary('track', '${name}' + n)`);
const waiting = async (page: Page) =>
  ((await page.evaluate('Object.keys(localStorage)')) as string[]).filter((name) => name.includes('_visit_'));

test('visits are batched: those within a second share one request, and a batch has at most ten', async () => {
  const page = await site.visit('/');
  await track(page, 4);
  await site.visits(5);
  expect(site.collector.arrivals.map(({ visits }) => visits.length)).toEqual([5]);
  await expect.poll(() => waiting(page)).toEqual([]);
  await track(page, 23);
  await site.visits(28);
  expect(Math.max(...site.collector.arrivals.map(({ visits }) => visits.length))).toBe(10);
  expect(site.collector.arrivals.every(({ isBeacon, cookie }) => !isBeacon && cookie === undefined)).toBe(true);
  await expect.poll(() => waiting(page)).toEqual([]);
});

test.each([503, 500, 429])('after %s a visit is sent again, the same, until it is taken', async (status) => {
  let failures = 2;
  site.collector.answer = () => (failures-- > 0 ? { status } : { status: 204 });
  const page = await site.visit('/');
  await site.visits(1);
  const sent = site.collector.arrivals.map(({ visits, client_id }) => JSON.stringify({ visits, client_id }));
  expect(sent).toHaveLength(3);
  expect(new Set(sent).size).toBe(1);
  const [first, second, third] = site.collector.arrivals.map(({ arrivedAt }) => arrivedAt) as [number, number, number];
  expect(second - first).toBeGreaterThanOrEqual(990);
  expect(third - second).toBeGreaterThanOrEqual(1_990);
  await expect.poll(() => waiting(page)).toEqual([]);
  site.expectPeace();
});

test("a collector's Retry-After is respected, by the next page and by other tabs too", async () => {
  let isBusy = true;
  site.collector.answer = () => (isBusy ? { status: 429, retryAfter: 4 } : { status: 204 });
  const page = await site.visit('/');
  await expect.poll(() => site.collector.arrivals.length).toBe(1);
  isBusy = false;
  await site.visit('/tab');
  await page.evaluate(`document.querySelector('a').remove(); location.assign('/later')`);
  await site.visits(3);
  // The first page had nothing left to send: its only visit had received a Retry-After.
  const [first, ...others] = site.collector.arrivals.filter(({ isBeacon }) => !isBeacon);
  expect(Math.min(...others.map(({ arrivedAt }) => arrivedAt)) - (first?.arrivedAt as number)).toBeGreaterThan(3_990);
});

test.each([400, 401, 403, 413])('after %s a visit is dropped, and the next one is sent', async (status) => {
  let isFirst = true;
  site.collector.answer = () => {
    const answer = { status: isFirst ? status : 204 };
    isFirst = false;
    return answer;
  };
  const page = await site.visit('/');
  await expect.poll(() => site.collector.arrivals.length).toBe(1);
  await expect.poll(() => waiting(page)).toEqual([]);
  await track(page, 1);
  const [only] = await site.visits(1);
  expect(only?.name).toBe('n1');
});

test('a broken connection does not count as a response', async () => {
  let isFirst = true;
  site.collector.answer = () => {
    const answer = isFirst ? undefined : { status: 204 };
    isFirst = false;
    return answer;
  };
  await site.visit('/');
  await site.visits(1);
  expect(site.collector.arrivals).toHaveLength(2);
  site.expectPeace();
});

test('visits are stored while offline, and sent when back online', async () => {
  const page = await site.visit('/');
  await site.visits(1);
  await site.visitor.setOffline(true);
  await track(page, 12);
  // Long enough for several failed attempts, the last of which waits longer than the test does.
  await page.waitForTimeout(5_000);
  expect(await waiting(page)).toHaveLength(12);
  const backAt = Date.now();
  await site.visitor.setOffline(false);
  const visits = await site.visits(13);
  expect((site.collector.arrivals.at(-2)?.arrivedAt as number) - backAt).toBeLessThan(6_000);
  expect(visits.slice(1).map(({ name }) => name)).toEqual(Array.from({ length: 12 }, (_, n) => `n${n + 1}`));
  site.expectPeace();
});

test('the queue is bounded: it keeps the last hundred visits, and none for longer than two days', async () => {
  const page = await site.visit('/');
  await site.visits(1);
  await site.visitor.setOffline(true);
  const old = '019a0000-0000-7000-8000-000000000000';
  await page.evaluate(
    `for (const key of ['${key}', 'trk_former']) localStorage['tributary_visit_' + key + '_${old}'] = '{}'`,
  );
  await track(page, 130);
  await expect.poll(() => waiting(page)).toHaveLength(100);
  expect((await waiting(page)).join()).not.toContain(old);
  await site.visitor.setOffline(false);
  const visits = await site.visits(101);
  expect(visits.slice(1).map(({ name }) => name)).toEqual(Array.from({ length: 100 }, (_, n) => `n${n + 31}`));
});

test.each(['navigates away', 'closes', 'is hidden', 'goes into the cache'])(
  'nothing is lost when a page %s at once',
  async (how) => {
    const page = await site.visit('/');
    await site.visits(1);
    await page.evaluate(`
    for (let n = 0; n < 25; n += 1) tributary('track', 'last');
  `);
    if (how === 'navigates away') await page.goto('about:blank');
    if (how === 'closes') await page.close({ runBeforeUnload: true });
    if (how === 'is hidden') {
      await page.evaluate(`
      Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' });
      document.dispatchEvent(new Event('visibilitychange'));
    `);
    }
    if (how === 'goes into the cache') {
      await page.evaluate(`dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))`);
    }
    await site.visits(26);
    expect(site.collector.arrivals.some(({ isBeacon }) => isBeacon)).toBe(true);
  },
);

test('a beacon that the collector refused is sent again unchanged by the next page', async () => {
  const page = await site.visit('/');
  await site.visits(1);
  site.collector.answer = () => ({ status: 503 });
  await page.evaluate(`tributary('track', 'last'); location.assign('/next')`);
  await expect.poll(() => site.collector.arrivals.some(({ isBeacon }) => isBeacon)).toBe(true);
  site.collector.answer = () => ({ status: 204 });
  const visits = await site.visits(3);
  expect(visits.map(({ name }) => name)).toEqual([undefined, 'last', undefined]);
  const copies = site.collector.arrivals.flatMap((arrival) => arrival.visits.filter(({ name }) => name === 'last'));
  expect(copies.length).toBeGreaterThanOrEqual(2);
  expect(new Set(copies.map((copy) => JSON.stringify(copy))).size).toBe(1);
});

test("tabs do not lose each other's visits, even when all close while the collector is unreachable", async () => {
  site.collector.answer = () => ({ status: 503 });
  const tabs = await Promise.all(['/one', '/two', '/three'].map((path) => site.visit(path)));
  await Promise.all(tabs.map((tab, index) => track(tab, 12, `tab${index}-`)));
  await Promise.all(tabs.map((tab) => tab.close({ runBeforeUnload: true })));
  site.collector.reset();
  const page = await site.visit('/later');
  // The collector's Retry-After is still respected.
  const visits = await site.visits(3 * 13 + 1);
  expect(visits.filter(({ is_session_start }) => is_session_start)).toHaveLength(1);
  await expect.poll(() => waiting(page)).toEqual([]);
});

test('two keys on one site keep their visits and sessions separate', async () => {
  const other = key.replace(/.$/, '9');
  site.pages.set('/other', { key: other });
  site.collector.answer = () => ({ status: 503 });
  const page = await site.visit('/');
  await expect.poll(() => site.collector.arrivals.length).toBe(1);
  site.collector.reset();
  await page.goto(`${site.origin}/other`);
  await site.visits(1);
  await page.goto(`${site.origin}/back`);
  await site.visits(3);
  const received = site.collector.arrivals.flatMap((arrival) =>
    arrival.visits.map(({ url }) => `${arrival.key} ${new URL(url).pathname}`),
  );
  expect([...new Set(received)].sort()).toEqual([`${other} /other`, `${key} /`, `${key} /back`].sort());
  expect(site.collector.visits().map(({ is_session_start }) => is_session_start)).toEqual([true, true, false]);
});
