import type { AddressInfo } from 'node:net';
import { openapi, type Route, routes } from '@tributary/contract';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveDocsSite } from '../../apps/api/docs-site.ts';
import { buildDocs, docsDirectory } from '../../apps/docs/build.ts';
import { serveDocs } from '../../packages/http/docs.ts';
import { referenceUrl } from '../../packages/http/docs-pages.ts';
import { openBrowser } from './browser.ts';

const allRoutes = Object.values<Route>(routes);

/** The pages as a person sees them: a real browser, a real server, and nothing else in the world. */

let fastify: FastifyInstance;
let browser: Browser;
let baseUrl: string;

beforeAll(async () => {
  fastify = Fastify();
  fastify.get('/api/v1/openapi.json', async () => openapi({ baseUrl }));
  // The port is not known before listening, and the pages are told where they are at registration.
  await new Promise<void>((resolve) => fastify.server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(fastify.server.address() as AddressInfo).port}`;
  serveDocs(fastify, { baseUrl });
  [browser] = await Promise.all([openBrowser(), buildDocs()]);
  await serveDocsSite(fastify, docsDirectory);
  await fastify.ready();
});
afterAll(async () => {
  await browser?.close();
  await fastify?.close();
});

/** A fresh page, with all that it asked for and all that went wrong on it. */
async function open(path: string): Promise<{ page: Page; asked: string[]; complaints: string[] }> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const asked: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('requestfailed', (request) => complaints.push(`failed: ${request.url()}`));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await page.goto(`${baseUrl}${path}`);
  return { page, asked, complaints };
}

const outside = (asked: readonly string[]) =>
  asked.filter((url) => !url.startsWith(`${baseUrl}/`) && !url.startsWith('data:'));

test('the reference lists every operation, and asks nobody else for anything', async () => {
  const { page, asked, complaints } = await open('/docs/reference');
  await page.getByRole('heading', { name: 'Tributary', level: 1 }).waitFor();
  const sidebar = page.getByRole('complementary', { name: 'Sidebar' });
  for (const chapter of new Set(allRoutes.map((route) => route.chapter))) {
    await sidebar.getByRole('link', { name: chapter, exact: true }).waitFor();
    const closed = sidebar.getByRole('button', { name: `Open Group - ${chapter}`, exact: true });
    if (await closed.isVisible()) await closed.click();
  }
  const listed = async () => {
    const links = await sidebar.getByRole('link').all();
    const addresses = await Promise.all(links.map((link) => link.getAttribute('href')));
    return addresses.map((address) => `/docs/reference${decodeURIComponent(address ?? '')}`);
  };
  await expect.poll(listed).toEqual(expect.arrayContaining(allRoutes.map(referenceUrl)));
  expect(asked).toContain(`${baseUrl}/api/v1/openapi.json`);
  expect(outside(asked)).toEqual([]);
  expect(complaints).toEqual([]);
  await page.close();
});

test('a stuck caller finds from an error to the operations that give it', async () => {
  const { page, complaints } = await open('/api');
  await page.getByRole('main').getByRole('link', { name: 'Errors' }).click();
  await page.getByRole('link', { name: 'insufficient_scope' }).click();
  await page.getByText('HTTP 403 Forbidden').waitFor();
  // The style came through the policy: without it the page would still say all this, in the browser's own font.
  expect(
    await page
      .locator('h1')
      .evaluate((heading) => heading.ownerDocument.defaultView?.getComputedStyle(heading).fontSize),
  ).toBe('32px');
  await page.getByRole('link', { name: routes.readProfile.summary }).click();
  await page.getByRole('heading', { name: routes.readProfile.summary, exact: true }).waitFor();
  expect(complaints).toEqual([]);
  await page.close();
});

test('a word is searched for in the guides, without anybody else, and its page is found', async () => {
  const { page, asked, complaints } = await open('/docs');
  await page.getByRole('heading', { name: 'Documentation', level: 1 }).waitFor();
  expect(page.url()).toBe(`${baseUrl}/docs/`);
  await page.keyboard.press('/');
  await page.keyboard.type('refund');
  const found = page.getByRole('option').filter({ hasText: 'Record payments' }).first();
  await found.waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: /payments/i }).waitFor();
  // Nothing but what the page itself needs was asked for before somebody searched; all of it is ours.
  expect(asked.filter((url) => url.endsWith('/search.json'))).toHaveLength(1);
  expect(outside(asked)).toEqual([]);
  const ways = page.getByRole('navigation', { name: 'Elsewhere' }).getByRole('link');
  expect(await ways.evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual([
    '/docs/reference',
    '/docs/errors',
    '/',
  ]);
  expect(complaints).toEqual([]);
  // An address from before the reference had a place of its own.
  await page.goto(`${baseUrl}/docs#tag/events`);
  await page.waitForURL(`${baseUrl}/docs/reference#tag/events`);
  await page.close();
});
