import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, vi } from 'vitest';
import { openBrowser } from './browser.ts';
import { type Collector, openCollector } from './recording-collector.ts';

// A tab that was refused several times waits for half a minute before it retries.
const patience = { timeout: 45_000, interval: 50 };

export const key = `trk_${'a1B2'.repeat(5)}Zz`;

interface SitePage {
  readonly key?: string;
  /** Attributes of the script tag beside the key. */
  readonly attributes?: string;
  readonly src?: string;
  readonly headers?: Record<string, string>;
  /** Runs before the tracker has loaded, after the stub. */
  readonly early?: string;
  readonly tags?: number;
}

/** A site that has the tracker on every page and proxies `/t/` to the collector. */
export class Site {
  readonly pages = new Map<string, SitePage>();
  collector!: Collector;
  browser!: Browser;
  origin!: string;
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  #context: BrowserContext | undefined;
  readonly #complaints: string[] = [];

  async open(): Promise<void> {
    [this.collector, this.browser] = await Promise.all([openCollector(), openBrowser()]);
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.origin = this.on('127.0.0.1');
  }

  on(host: string): string {
    return `http://${host}:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    await this.browser?.close();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
    await this.collector?.close();
  }

  /** A browser without cookies or storage. */
  async newVisitor(): Promise<BrowserContext> {
    await this.#context?.close();
    this.#context = await this.browser.newContext();
    this.#context.on('page', (page) => this.#listen(page));
    return this.#context;
  }

  async reset(): Promise<void> {
    await this.newVisitor();
    this.pages.clear();
    this.collector.reset();
    this.#complaints.length = 0;
  }

  get visitor(): BrowserContext {
    return this.#context as BrowserContext;
  }

  async visit(path = '/', options?: { referer: string }): Promise<Page> {
    const page = await this.visitor.newPage();
    await page.goto(path.startsWith('/') ? this.origin + path : path, options);
    return page;
  }

  /** Waits until so many visits have arrived, and returns them. */
  async visits(count: number): Promise<ReturnType<Collector['visits']>> {
    await vi.waitUntil(() => this.collector.visits().length >= count || this.collector.complaints.length > 0, patience);
    expect(this.collector.complaints).toEqual([]);
    expect(this.collector.visits()).toHaveLength(count);
    return this.collector.visits();
  }

  /** Expects no exception on the page and no console output, except the browser's own about requests. */
  expectPeace(): void {
    expect(this.#complaints).toEqual([]);
  }

  #listen(page: Page): void {
    page.on('pageerror', (error) => this.#complaints.push(error.message));
    page.on('console', (message) => {
      if (!message.text().startsWith('Failed to load resource')) this.#complaints.push(message.text());
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url as string).split('?')[0] as string;
    if (path.startsWith('/t/')) {
      await this.#pass(request, response);
      return;
    }
    const page = this.pages.get(path) ?? {};
    const tag = `<script async src="${page.src ?? `${this.collector.url}/t.js`}" data-key="${page.key ?? key}" ${page.attributes ?? ''}></script>`;
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...page.headers });
    response.end(`<!doctype html><title>${path}</title><link rel="icon" href="data:,">
      <script>window.tributary = window.tributary || function () { (tributary.q = tributary.q || []).push(arguments) };${page.early ?? ''}</script>
      ${tag.repeat(page.tags ?? 1)}<a href="/next">next</a>`);
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const { 'content-type': type = '', 'sec-fetch-mode': mode = '' } = request.headers;
    const answer = await fetch(this.collector.url + (request.url as string).slice('/t'.length), {
      method: request.method as string,
      headers: { 'content-type': type, 'sec-fetch-mode': mode as string },
      ...(request.method === 'POST' && { body: new Uint8Array(body) }),
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    response.end(Buffer.from(await answer.arrayBuffer()));
  }
}

/** A site and a browser for the tests of a file, with a new visitor for each test. */
export function openSite(): Site {
  const site = new Site();
  beforeAll(() => site.open());
  afterAll(() => site.close());
  beforeEach(() => site.reset());
  return site;
}
