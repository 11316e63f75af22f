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

/** The pages in a real browser on a real server, without any other host. */

let fastify: FastifyInstance;
let browser: Browser;
let baseUrl: string;

beforeAll(async () => {
  fastify = Fastify();
  fastify.get('/api/v1/openapi.json', async () => openapi({ baseUrl }));
  // The port is unknown before listening, and the pages need their URL at registration.
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

/** A new page with all of its requests and errors. */
async function open(path: string): Promise<{ page: Page; requests: string[]; complaints: string[] }> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('requestfailed', (request) => complaints.push(`failed: ${request.url()}`));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await page.goto(`${baseUrl}${path}`);
  return { page, requests, complaints };
}

const outside = (requests: readonly string[]) =>
  requests.filter((url) => !url.startsWith(`${baseUrl}/`) && !url.startsWith('data:'));

test('the reference lists every operation and sends no request to another host', async () => {
  const { page, requests, complaints } = await open('/docs/reference');
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
  expect(requests).toContain(`${baseUrl}/api/v1/openapi.json`);
  expect(outside(requests)).toEqual([]);
  expect(complaints).toEqual([]);
  await page.close();
});

test('an error page links to the operations that return the error', async () => {
  const { page, complaints } = await open('/api');
  await page.getByRole('main').getByRole('link', { name: 'Errors' }).click();
  await page.getByRole('link', { name: 'insufficient_scope' }).click();
  await page.getByText('HTTP 403 Forbidden').waitFor();
  // The style sheet passed the content security policy: without it, the page would use the browser's default font.
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

test('a search over the guides finds the page of a word without other hosts', async () => {
  const { page, requests, complaints } = await open('/docs');
  await page.getByRole('heading', { name: 'Documentation', level: 1 }).waitFor();
  expect(page.url()).toBe(`${baseUrl}/docs/`);
  await page.keyboard.press('/');
  await page.keyboard.type('refund');
  const found = page.getByRole('option').filter({ hasText: 'Record payments' }).first();
  await found.waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: /payments/i }).waitFor();
  // Before the first search only the page's own resources were requested, all from our host.
  expect(requests.filter((url) => url.endsWith('/search.json'))).toHaveLength(1);
  expect(outside(requests)).toEqual([]);
  const ways = page.getByRole('navigation', { name: 'Elsewhere' }).getByRole('link');
  expect(await ways.evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual([
    '/docs/reference',
    '/docs/errors',
    '/',
  ]);
  expect(complaints).toEqual([]);
  // A URL from before the reference moved to its own page.
  await page.goto(`${baseUrl}/docs#tag/events`);
  await page.waitForURL(`${baseUrl}/docs/reference#tag/events`);
  await page.close();
});
