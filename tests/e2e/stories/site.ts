import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import type { Installation, Workspace } from './installation.ts';

/** The shop's own website: every page has the same HTML, which a story changes as the shop's developer would. */
export interface Site {
  readonly origin: string;
  html: string;
  close(): void;
}

export async function openSite(): Promise<Site> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(site.html);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const site: Site = {
    origin: `http://shop.test:${(server.address() as AddressInfo).port}`,
    html: '<!doctype html><title>Shop</title><h1>Shop</h1>',
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return site;
}

/** A page of the shop with the tag from the console. */
export const pageWith = (tag: string): string =>
  `<!doctype html><html lang="en"><head><title>Shop</title>${tag}</head><body><h1>Shop</h1><a href="/shoes">Shoes</a></body></html>`;

/** Creates a tracking key on Set-up and resolves to the tag that the shop's developer pastes. */
export async function createTag(page: Page, workspace: Workspace): Promise<string> {
  await page.goto(workspace.url('set-up'));
  await page.getByRole('button', { name: 'Create tracking key' }).click();
  return (await page.locator('pre').filter({ hasText: '<script' }).textContent()) ?? '';
}

/** Opens a page of the site in a new browser context, runs a script of the shop there, and leaves. */
export async function visitSite(installation: Installation, url: string, script?: string): Promise<void> {
  const visitor = await installation.visitor();
  await visitor.page.goto(url);
  if (script) await visitor.page.evaluate(script);
  // Leaving the page makes the tracker send its queue.
  await visitor.page.goto('about:blank');
  await visitor.close();
}
