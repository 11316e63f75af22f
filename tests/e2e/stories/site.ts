import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

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
